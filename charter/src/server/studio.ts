import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { requireService } from "../packages/load-package.ts";
import type { StaticPage, StaticPages } from "./http/static-pages.ts";

/** Folder of the built studio, in the package `charter-service`; in a clone it is built there. */
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
  woff2: "font/woff2",
};

/** Maximum number of tries while a build replaces the folder, and the pause between them in milliseconds. */
const [maxTries, pauseMs] = [40, 25];

/**
 * Loads the studio and the page for users: one document for all its addresses, and its files. A build replaces the whole folder,
 * so it is read again until all of it is from one build.
 */
export function loadStudio(folder: string = studioFolder()): StaticPages {
  for (let tries = 1; tries <= maxTries; tries++) {
    const stamp = stampOf(folder);
    try {
      if (existsSync(join(folder, "index.html"))) {
        const pages = readStudio(folder);
        if (stampOf(folder) === stamp) return pages;
      } else if (!isReplaced(folder)) break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
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

/**
 * Recognises a folder that is just being replaced: for a moment neither the old nor the new one has the name, and the new one
 * lies beside it.
 */
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

/** Reads a file. Those under `studio/` and `chat/assets/` have a digest of their content in their names. */
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
  const ofAll = ["/", "/start", "/home", "/money", "/approvals", "/approvals/*", "/people", "/people/*"];
  return [...ofAll, "/agents/*"].map((path) => [path, page]);
}

/** Addresses of the page for users, which anyone may load: it says itself how to sign in. Its API is protected. */
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
