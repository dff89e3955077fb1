import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { openWebSocket } from "./websocket.ts";

const ping = (payload: Buffer) => Buffer.concat([Buffer.from([0x89, payload.length]), payload]);

test("a peer that pings on and on and reads nothing is not answered each time", { timeout: 20_000 }, async () => {
  const count = 200_000;
  const flood = Buffer.alloc(125, "x");
  const done = Promise.withResolvers<void>();
  let pongs = 0;
  const server = createServer();
  server.on("upgrade", async ({ headers }, socket) => {
    const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    socket.write(
      `HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest("base64")}\r\n\r\n`,
    );
    socket.pause();
    await new Promise((written) => socket.write(Buffer.concat(Array(count).fill(ping(flood))), written));
    // An empty ping is answered once all that was kept for this peer has gone out to it.
    const again = setInterval(() => socket.write(ping(Buffer.alloc(0))), 20);
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
    socket.on("end", () => socket.destroy());
    socket.on("error", () => {}).resume();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const line = openWebSocket({
    url: new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`),
    signal: new AbortController().signal,
    maxMessageBytes: 1000,
    onOpen: () => {},
    onText: () => {},
    onTrouble: ({ reason }) => done.reject(new Error(reason)),
  });
  await done.promise;
  line.end();
  await new Promise((closed) => server.close(closed));
  expect(pongs).toBeLessThan(count);
});
