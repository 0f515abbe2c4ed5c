// Colours of overlays; page.css has the same ones for text.
import * as THREE from "three";

export const STICK = new THREE.Color(0x5bc08a);
export const SLIP = new THREE.Color(0xf0b34a);
export const IMPACT = new THREE.Color(0xf0645c);
export const JOINT = new THREE.Color(0x79b4ff);
export const LIMIT = new THREE.Color(0xc9a6ff);
export const CENTER = new THREE.Color(0xffffff);
export const TRAIL = new THREE.Color(0x79b4ff);
export const VELOCITY = new THREE.Color(0x63d3d6);
export const SPRING = new THREE.Color(0xd9c27a);
export const AXES = [new THREE.Color(0xe8675f), new THREE.Color(0x74c365), new THREE.Color(0x5b9bf0)];
