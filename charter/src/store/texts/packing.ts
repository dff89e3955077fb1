import { checkText } from "../../prompt/argument.ts";
import type { Sha256 } from "../../prompt/prompt.ts";

/** A text in its row: as it is, deflated, or as the difference to a similar text. */
type PackedText = { readonly packed: number; readonly body: Uint8Array };

/** Minimum number of bytes that are worth packing; shorter texts are stored as they are. */
const minPackedBytes = 160;

/** Packs the bytes of a text, as the difference to those of a similar one if that saves something. */
export function packText(bytes: Uint8Array, base: Uint8Array | undefined): PackedText & { readonly against: boolean } {
  if (bytes.length < minPackedBytes) return { packed: 0, body: bytes, against: false };
  const { deflateRawSync } = process.getBuiltinModule("node:zlib");
  // A base that saves nothing is not named, because every named base must exist unchanged. Usually this is decided without
  // packing the text alone: hardly any becomes 16 times shorter by itself, or shorter than its first kilobyte.
  const under = base && differenceTo(base, bytes);
  const firstKilobyte = () => deflateRawSync(bytes.subarray(0, 1024), { windowBits: 11, level: 1 }).length;
  if (under && (under.length * 16 < bytes.length || under.length + 64 < firstKilobyte()))
    return { packed: 1, body: under, against: true };
  const alone = deflateRawSync(bytes, { windowBits: windowBitsOf(bytes.length) });
  const against = under !== undefined && under.length < alone.length;
  const body = against ? under : alone;
  return body.length < bytes.length ? { packed: 1, body, against } : { packed: 0, body: bytes, against: false };
}

/** Number of bytes in which the length of an end is written, and the longest end that fits. */
const lengthBytes = 3;
const maxEnd = 2 ** (8 * lengthBytes) - 1;

/**
 * Makes the difference to a similar text: how many bytes the two begin and end with alike, and what stands between, deflated with
 * what stands there in the other. Most texts change in one place, and preparing a dictionary takes longer than packing.
 */
function differenceTo(base: Uint8Array, bytes: Uint8Array): Uint8Array {
  const { deflateRawSync } = process.getBuiltinModule("node:zlib");
  const max = Math.min(base.length, bytes.length);
  const start = sharedBytes(base, bytes, Math.min(max, maxEnd), false);
  const end = sharedBytes(base, bytes, Math.min(max - start, maxEnd), true);
  const [middle, dictionary] = [bytes.subarray(start, bytes.length - end), base.subarray(start, base.length - end)];
  const window = { windowBits: windowBitsOf(middle.length + dictionary.length), memLevel: 6, chunkSize: 4096 };
  const packed = deflateRawSync(middle, { ...window, level: 3, ...(dictionary.length > 0 ? { dictionary } : {}) });
  const body = Buffer.allocUnsafe(2 * lengthBytes + packed.length);
  body.writeUIntLE(start, 0, lengthBytes);
  body.writeUIntLE(end, lengthBytes, lengthBytes);
  body.set(packed, 2 * lengthBytes);
  return body;
}

/** Counts the bytes with which two texts begin, or end, alike: half a kilobyte at a time, then one by one. */
function sharedBytes(one: Uint8Array, other: Uint8Array, max: number, fromEnd: boolean): number {
  const stride = 512;
  const part = (bytes: Uint8Array, at: number) =>
    fromEnd ? bytes.subarray(bytes.length - at - stride, bytes.length - at) : bytes.subarray(at, at + stride);
  let at = 0;
  while (at + stride <= max && Buffer.compare(part(one, at), part(other, at)) === 0) at += stride;
  const byte = (bytes: Uint8Array) => bytes[fromEnd ? bytes.length - 1 - at : at];
  while (at < max && byte(one) === byte(other)) at++;
  return at;
}

/** Returns the smallest window in which zlib reaches back over so many bytes: preparing a larger one takes longer than packing. */
function windowBitsOf(bytes: number): number {
  const neededAhead = 262;
  return Math.min(15, Math.max(9, Math.ceil(Math.log2(bytes + neededAhead))));
}

/** Texts of one owner whose rows were read together. */
type PackedTexts = {
  readonly row: (digest: string) => (PackedText & { readonly base: string | null }) | undefined;
  /** Texts that were unpacked before; `undefined` for those that cannot be. */
  readonly known: Pick<Map<string, string | undefined>, "has" | "get" | "set">;
  readonly fault?: (fault: TextFault) => void;
};

/**
 * Reason why a text cannot be read: there is no row, it is packed against itself by a ring of texts, its base cannot be unpacked,
 * or it is not what its digest says. `waiting`: the texts that need it as their base, nearest last.
 */
export type TextFault = {
  readonly why: "absent" | "ring" | "base" | "changed";
  readonly digest: string;
  readonly base: string | null;
  readonly waiting: readonly string[];
};

/** Returns the text of a digest, proved by it. */
export function unpackFrom(texts: PackedTexts, digest: string, waiting: readonly string[] = []): string | undefined {
  const { known } = texts;
  if (known.has(digest)) return known.get(digest);
  const text = provedText(texts, digest, waiting);
  known.set(digest, text);
  return text;
}

function provedText(texts: PackedTexts, digest: string, waiting: readonly string[]): string | undefined {
  const row = texts.row(digest);
  const base = row?.base ?? null;
  const fail = (why: TextFault["why"]) => texts.fault?.({ why, digest, base, waiting });
  if (!row) return void fail("absent");
  const opened = [...waiting, digest];
  if (base !== null && opened.includes(base)) return void fail("ring");
  const under = base === null ? undefined : unpackFrom(texts, base, opened);
  if (base !== null && under === undefined) return void fail("base");
  const text = unpackText(row, under);
  return text !== undefined && sha256(text) === digest ? text : void fail("changed");
}

/** Unpacks a body; `undefined` if that fails with this base, or if bytes are left over. */
function unpackText({ packed: isPacked, body }: PackedText, base: string | undefined): string | undefined {
  if (isPacked === 0) return Buffer.from(body).toString("utf8");
  if (base === undefined) return inflated(body)?.toString("utf8");
  if (body.length < 2 * lengthBytes) return undefined;
  const [other, head] = [Buffer.from(base, "utf8"), Buffer.from(body.subarray(0, 2 * lengthBytes))];
  const [start, end] = [head.readUIntLE(0, lengthBytes), head.readUIntLE(lengthBytes, lengthBytes)];
  if (start + end > other.length) return undefined;
  const dictionary = other.subarray(start, other.length - end);
  const middle = inflated(body.subarray(2 * lengthBytes), dictionary.length > 0 ? dictionary : undefined);
  return (
    middle && Buffer.concat([other.subarray(0, start), middle, other.subarray(other.length - end)]).toString("utf8")
  );
}

function inflated(body: Uint8Array, dictionary?: Uint8Array): Buffer | undefined {
  const { inflateRawSync } = process.getBuiltinModule("node:zlib");
  try {
    const given = dictionary === undefined ? {} : { dictionary };
    const { buffer, engine } = inflateRawSync(body, { ...given, info: true }) as unknown as InflateResult;
    return engine.bytesWritten === body.length ? buffer : undefined;
  } catch {
    return undefined;
  }
}

/** Result of zlib with the option `info`, which tells how much it read. */
type InflateResult = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

let hash: typeof import("node:crypto").hash | undefined;

/** Computes the SHA-256 of a text's UTF-8 bytes, in lower-case hex: `receiptOf`, `deliver` and `predict` take it. */
export const sha256: Sha256 = (text) => {
  if (typeof text !== "string") checkText("sha256", text);
  hash ??= process.getBuiltinModule("node:crypto").hash;
  return hash("sha256", text, "hex");
};

/** Computes the SHA-256 of bytes, in lower-case hex. */
export function digestOfBytes(bytes: Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", bytes, "hex");
}
