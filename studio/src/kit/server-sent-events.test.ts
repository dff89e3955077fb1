import { expect, test } from "vitest";
import { serverSentEvents } from "./server-sent-events.ts";

const bytes = (words: string) => new TextEncoder().encode(words);

test("events are told whole, however they are cut, and a line that means nothing is told as nothing", async () => {
  const sent = bytes('id: 7\nevent: said\ndata: {"says":"ä\u2028b"}\n\n: still here\n\ndata: 2\n\ndata: cut off');
  const body = new ReadableStream<Uint8Array>({
    start: (line) => {
      for (const byte of sent) line.enqueue(new Uint8Array([byte]));
      line.close();
    },
  });
  const told = [];
  for await (const one of serverSentEvents(body)) told.push(one);
  expect(told).toEqual([
    { id: "7", name: "said", data: '{"says":"ä\u2028b"}' },
    undefined,
    { id: undefined, name: undefined, data: "2" },
  ]);
});

test("a line that says nothing for too long is dead: whoever listens is told, and stops listening", async () => {
  let left = false;
  const body = new ReadableStream<Uint8Array>({
    start: (line) => line.enqueue(bytes("data: 1\n\n")),
    cancel: () => {
      left = true;
    },
  });
  const told: unknown[] = [];
  const listening = async () => {
    for await (const one of serverSentEvents(body, 20)) told.push(one?.data);
  };
  await expect(listening()).rejects.toThrow("The line is silent.");
  expect([told, left]).toEqual([["1"], true]);
});
