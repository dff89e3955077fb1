const start = "reply_";

/** What opens one reply: its digest is kept, and it is shown once, to whoever signed the message. */
export function newReplySecret(random: (bytes: Uint8Array) => void): string {
  const bytes = new Uint8Array(32);
  random(bytes);
  return `${start}${Buffer.from(bytes).toString("base64url")}`;
}

/** Tokens begin with another word, and a JSON Web Token has dots. */
export function isReplySecret(secret: string): boolean {
  return secret.startsWith(start) && !secret.includes(".");
}
