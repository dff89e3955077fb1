/** What opens one reply of an address: its digest is kept, and it is shown once, to whoever signed the message. */
export function newReplySecret(address: string, random: (bytes: Uint8Array) => void): string {
  const bytes = new Uint8Array(32);
  random(bytes);
  return `reply_${address}_${Buffer.from(bytes).toString("base64url")}`;
}

/** The address whose reply a secret is for; nothing, if it is no such secret. */
export function addressOfReply(secret: string): string | undefined {
  return /^reply_(0x[0-9a-f]{40})_[\w-]+$/.exec(secret)?.[1];
}
