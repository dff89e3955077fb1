import fc from "fast-check";
import { expect, test } from "vitest";
import { createFrameReader, encodeFrame, opcodes } from "./websocket.ts";

/** A frame as a server sends it: not masked. */
function frame(first: number, payload: Buffer | string, length = Buffer.byteLength(payload)): Buffer {
  const bytes = Buffer.from(payload);
  if (length < 126) return Buffer.concat([Buffer.from([first, length]), bytes]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = length < 65_536 ? 126 : 127;
  if (length < 65_536) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, bytes]);
}
const text = (words: string) => frame(0x81, words);
const protocol = { fault: "nonsense", reason: "It does not keep to the WebSocket protocol." };
const noText = { fault: "nonsense", reason: "It sent something that is no text." };

test("texts of every length arrive whole, wherever the bytes are cut", () => {
  const words = fc.array(
    fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("x".repeat(125), "y".repeat(126), "z".repeat(70_000))),
  );
  fc.assert(
    fc.property(words, fc.array(fc.nat(80_000)), (texts, cuts) => {
      const sound = texts.map((one) => one.toWellFormed());
      const bytes = Buffer.concat(sound.map(text));
      const read = createFrameReader(100_000);
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const arrived = places.slice(1).flatMap((end, index) => read(bytes.subarray(places[index], end)));
      expect(arrived).toEqual(sound.map((one) => ({ text: one })));
    }),
    { numRuns: 100 },
  );
});

test("bytes of any kind end in texts or in one fault, and never in an error", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (chunks) => {
      const read = createFrameReader(1000);
      const arrived = chunks.flatMap((chunk) => read(Buffer.from(chunk)));
      const fault = arrived.findIndex((one) => "fault" in one);
      expect([-1, arrived.length - 1]).toContain(fault);
    }),
  );
});

test.each([
  [
    "a text in three parts, with a ping between them",
    [frame(0x01, "a"), frame(0x00, "b"), frame(0x89, "?"), frame(0x80, "c")],
    [{ ping: Buffer.from("?") }, { text: "abc" }],
  ],
  ["a good-bye, with its reason", [frame(0x88, Buffer.from("\u0003\u00e8done", "latin1"))], [{ close: "done" }]],
  ["a good-bye without one", [frame(0x88, "")], [{ close: "" }]],
  ["an answer to a ping nobody sent", [frame(0x8a, "")], []],
  ["bytes", [frame(0x82, "a"), text("b")], [noText]],
  ["a part of nothing", [frame(0x80, "a")], [noText]],
  ["a text within a text", [frame(0x01, "a"), text("b")], [noText]],
  ["a compressed text", [frame(0xc1, "a")], [protocol]],
  ["a masked text", [Buffer.from([0x81, 0x81, 0, 0, 0, 0, 97])], [protocol]],
  ["an unknown kind", [frame(0x83, "a")], [protocol]],
  ["a ping in parts", [frame(0x09, "a")], [protocol]],
  ["a ping that is too long", [frame(0x89, "a".repeat(126))], [protocol]],
])("what is read of %s", (_what, frames, arrivals) => {
  const read = createFrameReader(1000);
  expect(frames.flatMap((one) => read(one))).toEqual(arrivals);
});

test("a text that is too long is a fault before it has come, in one or in parts", () => {
  const fault = { fault: "cut", reason: "It sent a message of more than 1,000 bytes." };
  expect([
    createFrameReader(1000)(frame(0x81, "", 1001)),
    createFrameReader(1000)(frame(0x81, "", 2 ** 52)),
    [frame(0x01, "a".repeat(600)), frame(0x00, "", 401), text("b")].flatMap(createFrameReader(1000)),
    createFrameReader(1000)(text("a".repeat(1000))),
  ]).toEqual([[fault], [fault], [fault], [{ text: "a".repeat(1000) }]]);
});

test("parts that add nothing do not come for ever", () => {
  const read = createFrameReader(1000);
  read(frame(0x01, ""));
  const arrived = Array.from({ length: 10_001 }, () => read(frame(0x00, ""))).flat();
  expect(arrived).toEqual([{ fault: "nonsense", reason: "It sent a message in too many parts." }]);
});

test.each([0, 5, 125, 126, 65_535, 65_536])(
  "what we send is masked, and of the length that was meant: %i bytes",
  (length) => {
    const payload = Buffer.alloc(length, "ä");
    const mask = Buffer.from([1, 2, 3, 4]);
    const sent = encodeFrame(opcodes.text, payload, mask);
    const start = sent.length - length;
    const unmasked = sent.subarray(start).map((byte, at) => byte ^ (mask[at & 3] as number));
    const bare = Buffer.concat([sent.subarray(0, start - 4), unmasked]);
    bare[1] = (bare[1] as number) & 0x7f;
    expect({ mask: sent.subarray(start - 4, start), isMasked: (sent[1] as number) >> 7, bare }).toEqual({
      mask,
      isMasked: 1,
      bare: frame(0x81, payload),
    });
  },
);
