import { checkText } from "../../prompt/argument.ts";
import type { Sha256 } from "../../prompt/prompt.ts";

/** A text in its row: as it is, or deflated with a similar text as the dictionary. */
type PackedText = { readonly packed: number; readonly body: Uint8Array };

/** Minimum number of bytes that are worth packing; shorter texts are stored as they are. */
const minPackedBytes = 160;

/** Packs the bytes of a text, against those of a similar one if that saves something. */
export function packText(
  bytes: Uint8Array,
  dictionary: Uint8Array | undefined,
): PackedText & { readonly against: boolean } {
  if (bytes.length < minPackedBytes) return { packed: 0, body: bytes, against: false };
  const { deflateRawSync } = process.getBuiltinModule("node:zlib");
  // As little memory as these texts need: preparing it takes longer than packing.
  const window = { windowBits: windowBitsOf(bytes.length + (dictionary?.length ?? 0)), memLevel: 6, chunkSize: 4096 };
  // A base that saves nothing is not named, because every named base must exist unchanged. Usually this is decided without
  // packing the text alone: hardly any becomes 16 times shorter by itself, or shorter than its first kilobyte.
  const under = dictionary && deflateRawSync(bytes, { ...window, level: 3, dictionary });
  const firstKilobyte = () => deflateRawSync(bytes.subarray(0, 1024), { windowBits: 11, level: 1 }).length;
  if (under && (under.length * 16 < bytes.length || under.length + 64 < firstKilobyte()))
    return { packed: 1, body: under, against: true };
  const alone = deflateRawSync(bytes, window);
  const against = under !== undefined && under.length < alone.length;
  const body = against ? under : alone;
  return body.length < bytes.length ? { packed: 1, body, against } : { packed: 0, body: bytes, against: false };
}

/** Returns the smallest window in which zlib reaches back over so many bytes. */
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
  const { inflateRawSync } = process.getBuiltinModule("node:zlib");
  const dictionary = base === undefined ? {} : { dictionary: Buffer.from(base, "utf8") };
  try {
    const { buffer, engine } = inflateRawSync(body, { ...dictionary, info: true }) as unknown as InflateResult;
    return engine.bytesWritten === body.length ? buffer.toString("utf8") : undefined;
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
