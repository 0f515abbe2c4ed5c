// The overlays of the page, in the order of their switches.
import type {App} from "../app";
import {axesOverlay, centerOverlay, nameOverlay, shapeOverlay, velocityOverlay} from "./bodies";
import {contactOverlay} from "./contacts";
import {jointOverlay} from "./joints";
import type {Overlay} from "./overlay";
import {springOverlay, trailOverlay} from "./paths";

export function buildOverlays(app: App): Overlay[] {
  const {manifest} = app.recording;
  return [
    contactOverlay(app),
    ...(manifest.joints.length ? [jointOverlay(app)] : []),
    nameOverlay(app),
    velocityOverlay(app),
    trailOverlay(app),
    centerOverlay(app),
    axesOverlay(app),
    shapeOverlay(app),
    ...(manifest.springs.length ? [springOverlay(app)] : []),
  ];
}
