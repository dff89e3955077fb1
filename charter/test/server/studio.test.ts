import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadStudio } from "../../src/server/studio.ts";
import { createFolder, type Folder } from "../cli.ts";
import { type Core, newCore } from "./core/core-stage.ts";

const script = "console.log('the page');\n".repeat(50);
const document = `<!doctype html><meta property="csp-nonce" nonce="%NONCE%"><script type="module" src="/studio/page-1a.js"></script>`;

const chatDocument = `<!doctype html><title>Yours</title><meta property="csp-nonce" nonce="%NONCE%">`;

describe("the page, built", () => {
  let folder: Folder;
  let core: Core;
  beforeAll(async () => {
    folder = createFolder({
      "index.html": document,
      "icon.svg": "<svg/>",
      "studio/page-1a.js": script,
      "studio/page-1a.js.br": brotliCompressSync(script),
      "studio/page-1a.js.gz": gzipSync(script),
      "studio/page-1a.css": "body{}",
      "chat/index.html": chatDocument,
      "chat/assets/chat-2b.js": script,
      ".built": "a stamp",
      "notes.txt": "of nobody's concern",
    });
    core = await newCore({ pages: loadStudio(folder.path) });
  });
  afterAll(async () => {
    await core.close();
    folder.remove();
  });
  const get = (path: string, headers: Record<string, string> = {}) => core.ask(path, { headers });

  test("is one document at every address of it, whatever is asked there, for anyone: it holds no words of anybody", async () => {
    const paths = [
      "/",
      "/agents",
      "/agents/ada/prompt",
      "/agents/a%2Fb/turns/0m1?user=bo",
      "/agents/%E2%80%AE/sections/x",
    ];
    for (const path of paths) {
      const answer = await get(path, { accept: "text/html" });
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
        path,
        200,
        "text/html; charset=utf-8",
      ]);
      expect(await answer.text()).toMatch(/^<!doctype html><meta property="csp-nonce" nonce="[\w+/]{22}==">/);
    }
  });

  test("the page for users is another document, with files of its own, for anyone; pictures it fetched are shown", async () => {
    for (const path of ["/chat", "/chat/", "/chat/notes", "/chat?x=1"]) {
      const answer = await get(path, { accept: "text/html" });
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect([path, answer.status, answer.headers.get("cache-control")]).toEqual([path, 200, "no-store"]);
      expect(policy.replace(/nonce-[^']+/, "nonce")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(await answer.text()).toContain("<title>Yours</title>");
    }
    const file = await get("/chat/assets/chat-2b.js");
    expect([file.status, file.headers.get("cache-control"), await file.text()]).toEqual([
      200,
      "public, max-age=31536000, immutable",
      script,
    ]);
    expect((await get("/")).headers.get("content-security-policy")).not.toContain("blob:");
    // What is further down is its API, which asks who it is.
    for (const path of ["/chat/api/me", "/chat/index.html", "/chat/a/b"])
      expect([path, (await get(path)).status]).toEqual([path, 401]);
  });

  test("carries, each time, other words that nobody could foresee, in its policy too; so nobody keeps it", async () => {
    const [one, other] = [await get("/"), await get("/")];
    const nonces = await Promise.all(
      [one, other].map(async (answer) => /nonce="([^"]+)"/.exec(await answer.text())?.[1]),
    );
    expect(new Set(nonces).size).toBe(2);
    expect([one, other].map(({ headers }) => headers.get("content-security-policy"))).toEqual(
      nonces.map(
        (nonce) =>
          `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      ),
    );
    expect(one.headers.get("cache-control")).toBe("no-store");
  });

  const ways: [accepts: string | undefined, way: string | null][] = [
    [undefined, null],
    ["identity", null],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["br;q=0.0, gzip;q=0", null],
    ["gzip;q=1.0, br;q=0.1", "br"],
    ["BR", "br"],
    ["brotli, x-gzip", null],
    ["*", null],
  ];
  for (const [accepts, way] of ways)
    test(`a file is sent as small as it can be read: ${accepts ?? "nothing said"} → ${way ?? "as it is"}`, async () => {
      const answer = await get("/studio/page-1a.js", accepts === undefined ? {} : { "accept-encoding": accepts });
      const { headers } = answer;
      expect([headers.get("content-encoding"), headers.get("vary"), headers.get("content-type")]).toEqual([
        way,
        "accept-encoding",
        "text/javascript; charset=utf-8",
      ]);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const read = way === "br" ? brotliDecompressSync(bytes) : way === "gzip" ? gunzipSync(bytes) : bytes;
      expect(read.toString()).toBe(script);
    });

  test("what is named by its words is kept for ever; the rest is asked for again, and not sent again", async () => {
    const named = await get("/studio/page-1a.js");
    expect(named.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const icon = await get("/icon.svg");
    expect([icon.headers.get("cache-control"), icon.headers.get("content-type")]).toEqual([
      "no-cache",
      "image/svg+xml",
    ]);
    const etag = icon.headers.get("etag") as string;
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`])
      expect((await get("/icon.svg", { "if-none-match": known })).status).toBe(304);
    expect((await get("/icon.svg", { "if-none-match": '"x"' })).status).toBe(200);
  });

  test("nothing else of its folder is served", async () => {
    const paths = [
      "/index.html",
      "/.built",
      "/notes.txt",
      "/studio/page-1a.js.br",
      "/studio/",
      "/studio/page-2b.js",
      "/studio/../.built",
    ];
    for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 401]);
  });
});

test("a page that was not built says how to build it, at every address, without a script", async () => {
  const folder = createFolder({});
  const core = await newCore({ pages: loadStudio(folder.path) });
  for (const path of ["/", "/agents/ada/prompt"]) {
    const answer = await core.ask(path);
    const words = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(words).toContain("npm install charter-service");
    expect(words).toContain("npm run build");
    expect(words).not.toContain("<script");
  }
  await core.close();
  folder.remove();
});

/** Puts one build after the other in its place, a hundred times a second, until it is told to stop. */
const builder = `const { mkdirSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { parentPort, workerData: folder } = require("node:worker_threads");
for (let build = 0; build < 100000; build++) {
  const fresh = folder + ".1";
  mkdirSync(fresh + "/studio", { recursive: true });
  mkdirSync(fresh + "/chat", { recursive: true });
  writeFileSync(fresh + "/index.html", "build " + build);
  writeFileSync(fresh + "/chat/index.html", "build " + build);
  for (let file = 0; file < 20; file++) writeFileSync(fresh + "/studio/" + file + "-" + build + ".js", "build " + build);
  writeFileSync(fresh + "/.built", String(build));
  if (build > 0) renameSync(folder, folder + ".1.old");
  renameSync(fresh, folder);
  rmSync(folder + ".1.old", { recursive: true, force: true });
  if (build === 0) parentPort.postMessage("there");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}`;

test("a page that is put in its place just then is read whole: the one before or the one after", async () => {
  const place = createFolder({});
  const folder = join(place.path, "studio");
  const other = new Worker(builder, { eval: true, execArgv: [], workerData: folder });
  await once(other, "message");
  for (let count = 0; count < 50; count++) {
    const words = [...loadStudio(folder).values()].map(({ body }) => `${body}`);
    expect([words.length, new Set(words).size, /^build \d+$/.test(words[0] ?? "")]).toEqual([32, 1, true]);
  }
  await other.terminate();
  place.remove();
});
