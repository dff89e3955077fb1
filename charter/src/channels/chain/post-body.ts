/** The words of a post, and why it gets no turn where it gets none. */
type PostBody = { readonly body: string; readonly dead?: string };

const longest = 4096;

/** What was posted as bytes: words, if they are UTF-8 that can be kept; else the bytes in hex, and what is wrong with them. */
export function postBody(hex: string): PostBody {
  const bytes = Buffer.from(hex.slice(2), "hex");
  const dead = (because: string) => ({
    body: `0x${bytes.subarray(0, longest / 2 - 1).toString("hex")}`,
    dead: because,
  });
  if (bytes.length === 0) return dead("It has no words.");
  if (bytes.length > longest) return dead(`It has ${bytes.length} bytes, and may have ${longest}.`);
  try {
    const body = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return body.includes("\0") ? dead("It has a NUL character, which cannot be kept.") : { body };
  } catch {
    return dead("It is no UTF-8.");
  }
}
