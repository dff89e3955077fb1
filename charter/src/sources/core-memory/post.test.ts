import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { lateTrouble, post } from "./relay-client.ts";

test("what is too late from the start is not sent, and its end is nobody else's error", async () => {
  let requests = 0;
  const server = createServer((_, answer) => {
    requests++;
    answer.end("{}");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const given = { url, headers: {}, body: "{}", maxBytes: 1000 };
  expect(await post({ ...given, signal: AbortSignal.abort() })).toBe(lateTrouble);
  expect(await post({ ...given, signal: new AbortController().signal })).toEqual({ status: 200, text: "{}" });
  expect(requests).toBe(1);
  await new Promise((closed) => server.close(closed));
});
