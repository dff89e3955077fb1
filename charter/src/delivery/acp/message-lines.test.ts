import { expect, test } from "vitest";
import { createMessageLines } from "./agent-process.ts";

function read(chunks: readonly string[], maxBytes?: number) {
  const messages: unknown[] = [];
  const garbage: string[] = [];
  const lines = createMessageLines(
    { onMessage: (one) => messages.push(one), onGarbage: (why) => garbage.push(why) },
    maxBytes,
  );
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  return { messages, garbage };
}

const notification = { jsonrpc: "2.0", method: "m" };

test("a line is a message, however it comes", () => {
  const line = `${JSON.stringify({ ...notification, params: { text: "ä\u2028" } })}\r\n`;
  const bytes = Buffer.from(`\n  \n${line}${line}`);
  const messages: unknown[] = [];
  const lines = createMessageLines({ onMessage: (one) => messages.push(one), onGarbage: () => {} });
  for (const byte of bytes) lines.push(Buffer.from([byte]));
  expect(messages).toEqual([1, 2].map(() => ({ ...notification, params: { text: "ä\u2028" } })));
});

test.each([
  "Welcome!",
  "[]",
  "7",
  "null",
  "{}",
  '{"jsonrpc":"1.0","method":"m"}',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","method":7}',
  '{"jsonrpc":"2.0","method":"m","id":{}}',
  '{"jsonrpc":"2.0","id":[]}',
])("a line that is no message is the last that is read: %s", (line) => {
  expect(read([`${JSON.stringify(notification)}\n${line}\n${JSON.stringify(notification)}\n`])).toEqual({
    messages: [notification],
    garbage: [`a line that is no message: ${JSON.stringify(line)}`],
  });
});

test("a line may have so many bytes, and not one more, whether it ends or not", () => {
  const line = JSON.stringify(notification);
  expect(read([line, "\n"], line.length)).toEqual({ messages: [notification], garbage: [] });
  const tooLong = { messages: [], garbage: [`a line of more than ${(line.length - 1) / 1024 / 1024} MiB`] };
  expect(read([line, "\n"], line.length - 1)).toEqual(tooLong);
  expect(read(line.split(""), line.length - 1)).toEqual(tooLong);
});
