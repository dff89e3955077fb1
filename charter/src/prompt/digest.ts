import type { Sha256 } from "./prompt.ts";

/** The first 32 bits of the fractions of the first primes' square roots (`start`) and cube roots (`constants`). */
const start = new Uint32Array(8);
const constants = new Uint32Array(64);
for (let prime = 2, count = 0; count < 64; prime++) {
  let factor = 2;
  while (prime % factor !== 0) factor++;
  if (factor < prime) continue;
  if (count < 8) start[count] = (Math.sqrt(prime) % 1) * 2 ** 32;
  constants[count++] = (Math.cbrt(prime) % 1) * 2 ** 32;
}

const turned = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/**
 * SHA-256 for the few kilobytes a command compares at its start: loading Node's `crypto` costs several times as much as this.
 * For anything else there is `sha256` of `charter/store`.
 */
export const plainSha256: Sha256 = (text) => {
  const bytes = new TextEncoder().encode(text);
  const data = new DataView(new ArrayBuffer(((bytes.length + 72) >> 6) << 6));
  new Uint8Array(data.buffer).set(bytes);
  data.setUint8(bytes.length, 0x80);
  data.setBigUint64(data.byteLength - 8, BigInt(bytes.length) * 8n);
  const words = new Uint32Array(64);
  const at = (index: number) => words[index] as number;
  const state = start.slice();
  for (let block = 0; block < data.byteLength; block += 64) {
    for (let index = 0; index < 16; index++) words[index] = data.getUint32(block + index * 4);
    for (let index = 16; index < 64; index++) {
      const early = at(index - 15);
      const late = at(index - 2);
      const mixed =
        (turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)) + (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10));
      words[index] = at(index - 16) + at(index - 7) + mixed;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let index = 0; index < 64; index++) {
      const mixed = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
      const next = h + mixed + (constants[index] as number) + at(index);
      const other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = (d + next) | 0;
      d = c;
      c = b;
      b = a;
      a = (next + other) | 0;
    }
    for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] as number) + word;
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
};
