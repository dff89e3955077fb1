import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openWebSocket, type WireTrouble } from "./relay-client.ts";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** A frame as a server sends it: not masked. `length` may be another than that of what comes. */
function frame(first: number, payload: Buffer | string, length = Buffer.byteLength(payload)): Buffer {
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.from(payload)]);
}
const text = (words: string) => frame(0x81, words);

/** A server that takes every connection, and then does with its bytes what it likes. */
async function serve(talk: (socket: Socket) => unknown): Promise<URL> {
  const server = createServer();
  server.on("upgrade", ({ headers }, socket) => {
    const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    socket.write(
      `HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest("base64")}\r\n\r\n`,
    );
    socket.on("error", () => {}).on("end", () => socket.destroy());
    talk(socket as Socket);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  stops.push(() => new Promise((closed) => server.close(closed)));
  return new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** What is heard of frames until the text “end”, or until trouble. */
async function heard(...frames: readonly Buffer[]): Promise<(string | WireTrouble)[]> {
  const url = await serve((socket) => void socket.resume().write(Buffer.concat(frames)));
  const all: (string | WireTrouble)[] = [];
  await new Promise<void>((over) => {
    const line = openWebSocket({
      url,
      signal: new AbortController().signal,
      maxMessageBytes: 1000,
      onOpen: () => {},
      onText: (words) => {
        if (words !== "end") return void all.push(words);
        line.end();
        over();
      },
      onTrouble: (trouble) => {
        all.push(trouble);
        over();
      },
    });
  });
  return all;
}

const nonsense = (reason: string): WireTrouble => ({ kind: "nonsense", reason });
const protocol = nonsense("It does not keep to the WebSocket protocol.");
const cut: WireTrouble = { kind: "cut", reason: "It sent a message of more than 1,000 bytes." };
const closed = (said: string): WireTrouble => ({ kind: "closed", reason: `It closed the connection${said}` });

test.each<[what: string, frames: readonly Buffer[], expected: readonly (string | WireTrouble)[]]>([
  [
    "a text in three parts, with a ping between them",
    [frame(0x01, "a"), frame(0x00, "b"), frame(0x89, "?"), frame(0x80, "c"), text("end")],
    ["abc"],
  ],
  ["as much as is taken", [text("a".repeat(1000)), text("end")], ["a".repeat(1000)]],
  ["letters cut in half", [frame(0x81, Buffer.from([0xc3])), text("end")], ["\ufffd"]],
  ["an answer to a ping nobody sent", [frame(0x8a, ""), text("end")], []],
  ["a good-bye, with its reason", [frame(0x88, Buffer.from("\u0003\u00e8done", "latin1"))], [closed(": done")]],
  ["a good-bye without one", [frame(0x88, "")], [closed(".")]],
  ["bytes, and a text after them", [frame(0x82, "a"), text("b")], [nonsense("It sent something that is no text.")]],
  ["a part of nothing", [frame(0x80, "a")], [protocol]],
  ["a text within a text", [frame(0x01, "a"), text("b")], [protocol]],
  ["a compressed text", [frame(0xc1, "a")], [protocol]],
  ["a masked text", [Buffer.from([0x81, 0x81, 0, 0, 0, 0, 97])], [protocol]],
  ["an unknown kind", [frame(0x83, "a")], [protocol]],
  ["a ping in parts", [frame(0x09, "a")], [protocol]],
  ["a ping that is too long", [frame(0x89, "a".repeat(126))], [protocol]],
  ["a text that is too long, before it has come", [frame(0x81, "", 1001)], [cut]],
  ["a text of more bytes than there are numbers", [frame(0x81, "", 2 ** 60)], [cut]],
  ["parts that are too long together", [frame(0x01, "a".repeat(600)), frame(0x00, "", 401)], [cut]],
  [
    "parts that add nothing, for ever",
    [frame(0x01, ""), ...Array<Buffer>(10_001).fill(frame(0x00, ""))],
    [nonsense("It sent a message in too many parts.")],
  ],
])("what is heard of %s", async (_what, frames, expected) => {
  expect(await heard(...frames)).toEqual(expected);
});

test("a peer that pings on and on and reads nothing is not answered each time", { timeout: 20_000 }, async () => {
  const count = 200_000;
  const flood = Buffer.alloc(125, "x");
  const done = Promise.withResolvers<void>();
  let pongs = 0;
  const url = await serve(async (socket) => {
    socket.pause();
    await new Promise((written) => socket.write(Buffer.concat(Array(count).fill(frame(0x89, flood))), written));
    // An empty ping is answered once all that was kept for this peer has gone out to it.
    const again = setInterval(() => socket.write(frame(0x89, "")), 20);
    let rest = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      // A pong of a client's: two bytes, four of the mask, and what it was pinged with.
      for (let size = 6; rest.length >= 6; rest = rest.subarray(size)) {
        size = 6 + ((rest[1] as number) & 0x7f);
        if (rest.length < size) return;
        if (size > 6) pongs++;
        else {
          clearInterval(again);
          done.resolve();
        }
      }
    });
    socket.resume();
  });
  const line = openWebSocket({
    url,
    signal: new AbortController().signal,
    maxMessageBytes: 1000,
    onOpen: () => {},
    onText: () => {},
    onTrouble: ({ reason }) => done.reject(new Error(reason)),
  });
  await done.promise;
  line.end();
  expect(pongs).toBeLessThan(count);
});
