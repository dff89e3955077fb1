import { checkText } from "../../prompt/argument.ts";
import type { Sha256 } from "../../prompt/prompt.ts";
import { bytes, count, digest, name, type RowOf, table } from "../home/table.ts";

const ownOrCommon = "owner in ('', {user})";

/** A text once by its digest, for each owner ('' is the agents' common texts); `base`: the one it is packed against. */
export const texts = table(
  "texts",
  {
    of: "store",
    key: ["owner", "digest"],
    isByKey: true,
    owner: { user: "owner" },
    // A user's step may bring common texts along; it takes none away.
    fence: { see: ownOrCommon, add: ownOrCommon, remove: "owner = {user}" },
    proof: "hashChain",
    // What nothing names any more is swept.
    erase: { blank: "keep" },
    isLeftOut: true,
    exported: false,
  },
  { owner: name(), digest: digest(), base: digest().nullable(), depth: count(), packed: count(), body: bytes() },
);

export type TextRow = RowOf<typeof texts>;

/** How a text lies in a row: as it is, or deflated, with the text it is much like as the dictionary. */
type PackedText = Pick<TextRow, "packed" | "body">;

/** Shorter texts stand as they are. */
const worthPacking = 160;

/** A text that becomes so many times shorter with its base is not tried without: that takes as long as all the rest. */
const plainly = 16;

export function packText(text: string, base: string | undefined): PackedText & { readonly against: boolean } {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length < worthPacking) return { packed: 0, body: bytes, against: false };
  const { deflateRawSync } = process.getBuiltinModule("node:zlib");
  // A base that is of no use is not named: every base that is named is needed, and changing it shows. Most often that is
  // plain: hardly a text is worth so little by itself.
  const dictionary = base === undefined ? undefined : Buffer.from(base, "utf8");
  const under = dictionary && deflateRawSync(bytes, { level: 3, dictionary });
  if (under && under.length * plainly < bytes.length) return { packed: 1, body: under, against: true };
  const alone = deflateRawSync(bytes);
  const against = under !== undefined && under.length < alone.length;
  const body = against ? under : alone;
  return body.length < bytes.length ? { packed: 1, body, against } : { packed: 0, body: bytes, against: false };
}

/** Texts of one owner whose rows were read together. */
type PackedTexts = {
  readonly row: (digest: string) => TextRow | undefined;
  /** What was unpacked before; `undefined` of what cannot be. */
  readonly known: Pick<Map<string, string | undefined>, "has" | "get" | "set">;
  readonly fault?: (fault: TextFault) => void;
};

/**
 * Why there is no text: no row, one packed against itself by whatever way round, one packed against what cannot be
 * unpacked, or one that is not what its digest says. `waiting`: those that were to be unpacked against it, the nearest last.
 */
export type TextFault = {
  readonly why: "absent" | "ring" | "base" | "changed";
  readonly digest: string;
  readonly base: string | null;
  readonly waiting: readonly string[];
};

/** The text of a digest, proved by it. */
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

/** `undefined` when the body cannot be unpacked with this base, or goes on after its end. */
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

/** What zlib answers when it is asked how much it read (`info`). */
type InflateResult = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

/** SHA-256 of a text's UTF-8 bytes, in lower-case hex: what `receiptOf`, `deliver` and `predict` are given. */
export const sha256: Sha256 = (text) => {
  checkText("sha256", text);
  return process.getBuiltinModule("node:crypto").hash("sha256", text, "hex");
};

/** The same of bytes. */
export function digestOfBytes(bytes: Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", bytes, "hex");
}
