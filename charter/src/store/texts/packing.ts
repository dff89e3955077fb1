/** How a text lies in a row: as it is, or deflated, with the text it is much like as the dictionary. */
type PackedText = { readonly packed: number; readonly body: Uint8Array };

/** Shorter texts stand as they are. */
const worthPacking = 160;

export function packText(text: string, base: string | undefined): PackedText & { readonly against: boolean } {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length < worthPacking) return { packed: 0, body: bytes, against: false };
  const { deflateRawSync } = process.getBuiltinModule("node:zlib");
  // A base that is of no use is not named: every base that is named is needed, and changing it shows. Most often that is
  // plain, when all of the text takes less room with it than its beginning does without.
  const dictionary = base === undefined ? undefined : Buffer.from(base, "utf8");
  const under = dictionary && deflateRawSync(bytes, { level: 3, dictionary });
  if (under && under.length + 64 < deflateRawSync(bytes.subarray(0, 1024), { level: 1 }).length)
    return { packed: 1, body: under, against: true };
  const alone = deflateRawSync(bytes);
  const against = under !== undefined && under.length < alone.length;
  const body = against ? under : alone;
  return body.length < bytes.length ? { packed: 1, body, against } : { packed: 0, body: bytes, against: false };
}

/** `undefined` when the body cannot be unpacked with this base, or goes on after its end. */
export function unpackText({ packed: isPacked, body }: PackedText, base: string | undefined): string | undefined {
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
