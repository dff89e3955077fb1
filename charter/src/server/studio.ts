import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { requireService } from "../packages/load-package.ts";
import type { StaticPage, StaticPages } from "./http/static-pages.ts";

/** The package `charter-service` has the studio; in a clone it is built there. */
export function studioFolder(): string {
  return fileURLToPath(requireService({ purpose: "The studio" }).studio);
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml",
  tiktoken: "text/plain; charset=utf-8",
};

/** So often it is looked for while it is being put in its place, and so long is waited between. */
const [max, pause] = [40, 25];

/**
 * The page an operator works with, and the page for users: one document for all its addresses, and the files it is made
 * of. Whoever builds them meanwhile replaces the whole folder, so it is read again until all of it was of one build.
 */
export function loadStudio(folder: string = studioFolder()): StaticPages {
  for (let tries = 1; tries <= max; tries++) {
    const stamp = stampOf(folder);
    try {
      if (existsSync(join(folder, "index.html"))) {
        const pages = readStudio(folder);
        if (stampOf(folder) === stamp) return pages;
      } else if (!isReplaced(folder)) break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
  }
  return new Map([...everywhere(notBuilt), ...chatEverywhere(notBuilt)]);
}

function stampOf(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, ".built"), "utf8");
  } catch {
    return undefined;
  }
}

/** Between the old one and the new one there is a moment with neither; the new one lies beside it by then. */
function isReplaced(folder: string): boolean {
  const [place, name] = [dirname(resolve(folder)), basename(resolve(folder))];
  return existsSync(place) && readdirSync(place).some((other) => other.startsWith(`${name}.`));
}

function readStudio(folder: string): StaticPages {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  const served = files.filter((name) => extension(name) in types && !/^(?:chat\/)?index\.html$/.test(name));
  const page: StaticPage = { type: types.html as string, body: readFileSync(`${folder}/index.html`), nonce: "%NONCE%" };
  const chat: StaticPage = files.includes("chat/index.html")
    ? { ...page, body: readFileSync(`${folder}/chat/index.html`), ownPictures: true }
    : notBuilt;
  const all = served.map((name) => [`/${name}`, fileOf(folder, name, files)] as const);
  return new Map([...everywhere(page), ...chatEverywhere(chat), ...all]);
}

/** Everything under `studio/` and `chat/assets/` is named by its words. */
function fileOf(folder: string, name: string, files: readonly string[]): StaticPage {
  const packed = (ending: string) =>
    files.includes(name + ending) ? readFileSync(`${folder}/${name}${ending}`) : undefined;
  const [br, gzip] = [packed(".br"), packed(".gz")];
  return {
    type: types[extension(name)] as string,
    body: readFileSync(`${folder}/${name}`),
    immutable: /^(?:studio|chat\/assets)\//.test(name),
    compressed: { ...(br ? { br } : {}), ...(gzip ? { gzip } : {}) },
  };
}

function everywhere(page: StaticPage): [string, StaticPage][] {
  const views = ["home", "approvals", "money", "people"].flatMap((name) => [`/${name}`, `/${name}/*`]);
  return ["/", "/start", ...views, "/agents/*"].map((path) => [path, page]);
}

/** Every view of the page for users, whoever asks: it says itself how to sign in. Its API is further down. */
function chatEverywhere(page: StaticPage): [string, StaticPage][] {
  return ["/chat", "/chat/", "/chat/:view{[a-z]+}"].map((path) => [path, page]);
}

function extension(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

const notBuilt: StaticPage = {
  type: types.html as string,
  body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Charter</title><link rel="stylesheet" href="/charter.css"></head>
<body><main class="narrow"><h1>Charter</h1>
<p>The server runs, and its page, the studio, is not there. Run <code>npm install charter-service</code>, or in a clone
<code>npm run build</code>, which <code>npm start</code> does by itself; then start the server again. The API is there: <a href="/docs">/docs</a>.</p></main></body>
</html>
`,
};
