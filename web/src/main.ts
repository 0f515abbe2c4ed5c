// The page of `tumble view` and `tumble report`.
import styles from "./page.css";
import {EmbeddedSource} from "./data/embedded";
import {HttpSource} from "./data/http";
import type {DataSource} from "./data/source";
import {buildApi} from "./api";
import {buildPage} from "./page";
import {el} from "./ui/dom";

function addStyles(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  document.adoptedStyleSheets.push(sheet);
}

function findSource(): DataSource {
  if (EmbeddedSource.isIn(document)) return new EmbeddedSource(document);
  return new HttpSource(new URL(".", window.location.href).href);
}

/** The page could not start: say why instead of showing nothing. */
function showFailure(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  console.error(text);
  document.body.replaceChildren(
    el("main", {className: "failure"}, el("h1", {}, "This recording cannot be shown"), el("p", {}, text)),
  );
}

addStyles();
const loading = el("main", {className: "failure"}, el("p", {}, "Loading …"));
document.body.append(loading);
const page = buildPage(findSource());
window.tumble = buildApi(page);
page.then(() => loading.remove(), showFailure);
