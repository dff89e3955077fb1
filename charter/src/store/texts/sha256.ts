import type { Sha256 } from "../../prompt/prompt.ts";

/** SHA-256 of a text's UTF-8 bytes, in lower-case hex: what `receiptOf`, `deliver` and `predict` are given. */
export const sha256: Sha256 = (text) => process.getBuiltinModule("node:crypto").hash("sha256", text, "hex");

/** The same of bytes. */
export function digestOfBytes(bytes: Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", bytes, "hex");
}
