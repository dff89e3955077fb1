import { isWhole } from "../../prompt/sound.ts";

/** How the kinds that can be attached begin. */
const openings: readonly (readonly [mediaType: string, matches: (bytes: Uint8Array) => boolean])[] = [
  ["image/png", (bytes) => begins(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ["image/jpeg", (bytes) => begins(bytes, [0xff, 0xd8, 0xff])],
  ["image/gif", (bytes) => begins(bytes, letters("GIF87a")) || begins(bytes, letters("GIF89a"))],
  ["image/webp", (bytes) => begins(bytes, letters("RIFF")) && begins(bytes.subarray(8), letters("WEBP"))],
  ["application/pdf", (bytes) => begins(bytes, letters("%PDF-"))],
];

/** What bytes are, by themselves: a kind that begins so, plain text, or nothing that is known. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const found = openings.find(([, matches]) => matches(bytes));
  if (found) return found[0];
  return isText(bytes) ? "text/plain" : undefined;
}

/** Are they what they are said to be? Any kind of text is text. */
export function isMediaType(bytes: Uint8Array, mediaType: string): boolean {
  const is = mediaTypeOf(bytes);
  return mediaType.startsWith("text/") ? is === "text/plain" : is === mediaType;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** UTF-8 without a NUL. */
function isText(bytes: Uint8Array): boolean {
  try {
    return bytes.length > 0 && isWhole(decoder.decode(bytes));
  } catch {
    return false;
  }
}

function letters(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function begins(bytes: Uint8Array, opening: readonly number[]): boolean {
  return bytes.length >= opening.length && opening.every((byte, index) => bytes[index] === byte);
}
