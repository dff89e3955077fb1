import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { fromText, type SourceContext } from "../prompt/reading.ts";
import type { ReadResource } from "./agent-mcp.ts";
import { checkSources, createNamedSources, type SourceEntry } from "./named-source.ts";

const turn: SourceContext = { now: "2026-11-19T09:00:00Z", tools: [], standing: {} };
const stopping: (() => void)[] = [];
afterEach(() => {
  for (const stop of stopping.splice(0)) stop();
});

/** Serves on loopback until the test ends. */
async function served(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  stopping.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const noServers = async () => ({ status: "unavailable", because: "there is none" }) as const;

async function sourceOf(entry: SourceEntry, read: ReadResource = noServers) {
  const { one } = await createNamedSources({ one: entry }, read)();
  if (one === undefined) throw new Error("There is no source.");
  return one;
}

const readingOf = async (entry: SourceEntry) => (await sourceOf(entry)).read(turn);
const secret = "s3cret-of-the-header";

test("a text is present, with the headers it takes; an empty one and 204 are empty", async () => {
  const url = await served((request, response) => {
    if (request.url === "/none") response.writeHead(204).end();
    else if (request.url === "/blank") response.end(" \r\n");
    else response.end(`\uFEFFOpen.\r\n\u001B[31mKey ${request.headers["x-key"]}.\u001B[0m\n`);
  });
  const source = await sourceOf({ url, headers: { "x-key": "k" } });
  const reading = await source.read(turn);
  expect(reading).toEqual(fromText("Open.\nKey k."));
  expect(await source.read(turn)).toBe(reading);
  expect(await readingOf({ url: `${url}/none` })).toEqual({ status: "empty" });
  expect(await readingOf({ url: `${url}/blank` })).toEqual({ status: "empty" });
});

test("words from outside are a stranger's unless the configuration says otherwise; a function's are its own", async () => {
  const given: Record<string, SourceEntry> = {
    url: { url: "http://127.0.0.1" },
    ours: { url: "http://127.0.0.1", trust: "own" },
    command: { command: ["date"] },
    mcp: { mcp: "notes", uri: "notes://today" },
    read: { read: () => fromText("a") },
    call: () => fromText("a"),
  };
  const trusts = await createNamedSources(given, noServers)();
  expect(Object.fromEntries(Object.entries(trusts).map(([name, { trust }]) => [name, trust]))).toEqual({
    ...{ url: "foreign", ours: "own", command: "foreign", mcp: "foreign", read: "own", call: "own" },
  });
});

test("what is no answer is unavailable, with the reason and without the header", async () => {
  const url = await served((request, response) => {
    const path = request.url ?? "";
    if (path === "/endless") {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(1000)));
      };
      response.on("drain", more);
      more();
    } else if (path === "/mute") response.flushHeaders();
    else if (path === "/binary") response.end(Buffer.from([0xff, 0xd8, 0xff]));
    else if (path === "/nul") response.end("a\0b");
    else if (path === "/cut") response.writeHead(200, { "content-length": "10" }).write("a", () => response.destroy());
    else response.writeHead(Number(path.slice(1)), { "x-echo": request.headers.authorization }).end(secret);
  });
  const headers = { authorization: `Bearer ${secret}` };
  const reasons: Record<string, string> = {};
  for (const path of ["404", "500", "206", "304", "endless", "mute", "binary", "nul", "cut"]) {
    const reading = await readingOf({
      ...{ url: `${url}/${path}`, headers },
      ...(path === "mute" ? { timeoutMs: 50 } : {}),
    });
    reasons[path] = reading.status === "unavailable" ? reading.reason : reading.status;
  }
  expect(reasons).toEqual({
    404: "its server answered 404",
    500: "its server answered 500",
    206: "its server answered 206",
    304: "its server answered 304",
    endless: "it is larger than 65536 bytes",
    mute: "its server did not answer in 0.05 s",
    binary: "it is no text in UTF-8",
    nul: "it is no text",
    cut: "its server cannot be reached (UND_ERR_SOCKET)",
  });
});

test("a resource is asked for by its server and address, within its size and time", async () => {
  const asked: unknown[] = [];
  const read: ReadResource = async (...about) => {
    asked.push(about);
    return { status: "answered", text: "\u001B[1mOpen.\u001B[0m\r\n" };
  };
  const entry = { mcp: "notes", uri: "notes://today", timeoutMs: 500 };
  const source = await sourceOf(entry, read);
  const reading = await source.read(turn);
  expect(reading).toEqual(fromText("Open."));
  expect(await source.read(turn)).toBe(reading);
  expect(await (await sourceOf({ ...entry, maxBytes: 14 }, read)).read(turn)).toEqual({
    status: "unavailable",
    reason: "it is larger than 14 bytes",
  });
  expect(await readingOf(entry)).toEqual({
    status: "unavailable",
    reason: "the MCP server “notes” is unavailable: there is none",
  });
  expect(asked).toEqual([
    ["notes", "notes://today", 500],
    ["notes", "notes://today", 500],
    ["notes", "notes://today", 500],
  ]);
});

test("nobody listens, or a header that cannot be sent: its value is not told", async () => {
  expect(await readingOf({ url: "http://127.0.0.1:9", headers: { a: secret } })).toMatchObject({
    reason: expect.stringMatching(/^its server cannot be reached( \(\w+\))?$/),
  });
  expect(await readingOf({ url: "http://127.0.0.1:9", headers: { a: `${secret}\n` } })).not.toMatchObject({
    reason: expect.stringContaining(secret),
  });
});

test("a redirect is followed on the same server alone: neither request nor header goes elsewhere", async () => {
  const asked: string[] = [];
  const other = await served((request, response) => {
    asked.push(String(request.headers["x-key"]));
    response.end("Elsewhere.");
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await served((request, response) => {
      if (request.url === "/here") response.end(`Here, ${request.headers["x-key"]}.`);
      else response.writeHead(status, { location: request.url === "/out" ? other : "/here" }).end();
    });
    expect(await readingOf({ url, headers: { "x-key": "k" } })).toEqual(fromText("Here, k."));
    expect(await readingOf({ url: `${url}/out`, headers: { "x-key": secret } })).toEqual({
      status: "unavailable",
      reason: `its server sends requests elsewhere (${status}), and they do not go there`,
    });
  }
  const round = await served((_, response) => response.writeHead(302, { location: "/" }).end());
  expect((await readingOf({ url: round })).status).toBe("unavailable");
  expect(asked).toEqual([]);
});

test.for([
  [null, "“sources.a” in the file is null."],
  ["curl", "“sources.a” in the file is a text."],
  [{}, "“sources.a” in the file has to have read, url, command or mcp, and only one of them."],
  [
    { url: "http://a", command: ["a"] },
    "“sources.a” in the file has to have read, url, command or mcp, and only one of them.",
  ],
  [{ read: "date" }, "“sources.a.read” in the file is no function."],
  [
    { url: "file:///etc/passwd" },
    "“sources.a.url” in the file is no address that begins with http:// or https://, without a password.",
  ],
  [
    { url: `http://u:${secret}@a` },
    "“sources.a.url” in the file is no address that begins with http:// or https://, without a password.",
  ],
  [
    { url: "http://a", headers: { a: `${secret}\n b` } },
    "“sources.a.headers” in the file is no object of headers: texts by name.",
  ],
  [
    { url: "http://a", header: {} },
    "the file sets “sources.a.header”, which is not a setting. Those are url, headers, trust, maxBytes, timeoutMs.",
  ],
  [{ url: "http://a", trust: "mine" }, "“sources.a.trust” in the file is none of own, user and foreign."],
  [{ url: "http://a", maxBytes: 0 }, "“sources.a.maxBytes” in the file is no whole number of bytes from 1 to 4194304."],
  [
    { url: "http://a", timeoutMs: 1e9 },
    "“sources.a.timeoutMs” in the file is no whole number of milliseconds from 1 to 600000.",
  ],
  [{ command: "git log" }, '“sources.a.command” in the file is no list of words, as in ["git", "log", "-5"].'],
  [{ command: [] }, '“sources.a.command” in the file is no list of words, as in ["git", "log", "-5"].'],
  [{ command: ["a\0b"] }, '“sources.a.command” in the file is no list of words, as in ["git", "log", "-5"].'],
  [{ command: ["date"], cwd: "" }, "“sources.a.cwd” in the file is no path."],
  [{ mcp: "My notes", uri: "notes://a" }, "“sources.a.mcp” in the file is no name of an MCP server."],
  [{ mcp: "notes" }, "“sources.a” in the file has no uri."],
  [{ mcp: "notes", uri: "" }, "“sources.a.uri” in the file is no resource's address."],
] as const)("a description that is none is named, and its values are not: %j", ([entry, said]) => {
  let message: string | undefined;
  try {
    checkSources({ a: entry }, { place: "the file", code: "bad-config" });
  } catch (error) {
    message = (error as Error).message.replace(/^The setting /, "").replace(/^The file/, "the file");
  }
  expect(message).toBe(said);
});
