import { readFileSync } from "node:fs";
import type { Page, Pages } from "../pages.ts";

/** Beside the source and beside what is built of it: these files are served as they were written. */
const folder = new URL("../../../web/", import.meta.url);

const types: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript" };

function file(name: string): Page {
  const type = types[name.slice(name.lastIndexOf(".") + 1)];
  return { type: `${type}; charset=utf-8`, body: readFileSync(new URL(name, folder)) };
}

const files = ["chat.css", "chat.js", "api.js", "make.js", "markdown.js", "prompt.js", "turn.js"];

/** The page an operator talks on. */
export const pages: Pages = new Map([
  ["/", file("chat.html")],
  ...files.map((name) => [`/web/${name}`, file(name)] as const),
]);
