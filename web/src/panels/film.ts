// Makes a film of the run in the page, picture by picture: all have the same size, none is left out.
import type {App} from "../app";
import {WebmFile} from "../data/webm";
import {download, el} from "../ui/dom";

export const FILM = {width: 1280, height: 720, fps: 30, keyEvery: 60, bits: 8e6};

/** Draws and encodes the run from its start. `progress` is called after each picture; false stops it. */
export async function makeFilm(
  app: App,
  progress: (done: number, all: number) => boolean,
): Promise<Uint8Array> {
  const {clock, stage} = app,
    before = clock.time.value;
  const step = clock.speed.value / FILM.fps,
    all = Math.floor((clock.end - clock.start) / step + 1e-6) + 1;
  const file = new WebmFile(FILM.width, FILM.height, FILM.fps, "V_VP8");
  let fault: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      file.add(data, chunk.type === "key");
    },
    error: (error) => {
      fault = error;
    },
  });
  encoder.configure({
    codec: "vp8",
    width: FILM.width,
    height: FILM.height,
    bitrate: FILM.bits,
    framerate: FILM.fps,
  });
  const sheet = el("canvas", {width: FILM.width, height: FILM.height}),
    pen = sheet.getContext("2d")!;
  clock.pause();
  stage.beginFilm(FILM.width, FILM.height);
  try {
    for (let i = 0; i < all && !fault; ++i) {
      await app.seek(clock.start + i * step);
      stage.drawFine();
      pen.drawImage(stage.canvas, 0, 0, FILM.width, FILM.height);
      const picture = new VideoFrame(sheet, {timestamp: (i * 1e6) / FILM.fps, duration: 1e6 / FILM.fps});
      encoder.encode(picture, {keyFrame: i % FILM.keyEvery === 0});
      picture.close();
      // The encoder must not fall far behind, and the page must notice a click.
      do await new Promise((resolve) => setTimeout(resolve, 0));
      while (encoder.encodeQueueSize > 4);
      if (!progress(i + 1, all)) break;
    }
    if (!fault) await encoder.flush();
  } finally {
    stage.endFilm();
    if (encoder.state !== "closed") encoder.close();
    await app.seek(before);
  }
  if (fault) throw fault as Error;
  return file.finish();
}

/** A button that makes the film, and what it needs to be known before. */
export function filmRecorder(app: App): HTMLElement[] {
  const LABEL = "Make a WebM film here";
  const button = el("button", {className: "wide", data: {action: "record"}}, LABEL);
  if (!("VideoEncoder" in window)) {
    button.disabled = true;
    return [button, el("p", {className: "note"}, "This browser cannot encode films.")];
  }
  let wanted = true,
    runs = false;
  button.onclick = async () => {
    if (runs) {
      wanted = false;
      return;
    }
    wanted = runs = true;
    const begin = performance.now();
    try {
      const film = await makeFilm(app, (done, all) => {
        const left = Math.ceil(((performance.now() - begin) / 1000 / done) * (all - done));
        button.textContent = `${done} of ${all} pictures, ${left} s left – stop here`;
        return wanted;
      });
      download(`${app.recording.manifest.scene}.webm`, new Blob([film as BlobPart], {type: "video/webm"}));
    } catch (error) {
      app.report(error);
    }
    runs = false;
    button.textContent = LABEL;
  };
  const hint = el("p", {className: "note"});
  app.clock.speed.watch((speed) => {
    const seconds = (app.clock.end - app.clock.start) / speed;
    hint.textContent =
      `${FILM.width} × ${FILM.height}, ${FILM.fps} pictures a second, ${seconds.toFixed(1)} s long at the ` +
      "chosen speed. Every picture is drawn by itself, without names and numbers; without a graphics card " +
      "this takes several times as long as the film.";
  });
  return [button, hint];
}
