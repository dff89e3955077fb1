import { sha256 } from "../texts/sha256.ts";

/** Letters and digits nobody takes for one another: no I, L, O or U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const letters = 8;

/** Forty random bits, as someone can read them off one screen and type them into another. */
export function newCode(random: (bytes: Uint8Array) => void): string {
  const bytes = new Uint8Array(letters);
  random(bytes);
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("");
}

/** What is kept of a code: whoever reads the database cannot type it. It opens nothing of another agent or channel. */
export function codeDigest(agent: string, channel: string, code: string): string {
  return sha256(JSON.stringify([agent, channel, asWritten(code)]));
}

/** However it was typed: in small letters, in groups, with the letter O for the digit. */
function asWritten(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
}
