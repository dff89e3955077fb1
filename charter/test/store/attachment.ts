import type { NewAttachment } from "../../src/store/index.ts";
import { digestOfBytes } from "../../src/store/texts/packing.ts";

/** A text file that came with an input. */
export function attachmentOf(words: string, name = "notes.txt"): NewAttachment {
  const data = new TextEncoder().encode(words);
  return { digest: digestOfBytes(data), mediaType: "text/plain", bytes: data.length, name, data };
}
