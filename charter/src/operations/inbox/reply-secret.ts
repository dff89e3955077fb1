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

/** Whether an id is that of a message that came by a chain: such a message is its sender's, whoever asks for it. */
export function isChainMessage(id: string): boolean {
  return /^chain:\d+:0x[0-9a-f]{40}:0x[0-9a-f]{64}:\d+(?::[0-9a-f]{16})?$/.test(id);
}

/** The id a signer's message is kept under: their own ids after their address, those of a chain as they are. */
export function signerMessageId(address: string, id: string): string {
  return isChainMessage(id) ? id : `${address}/${id}`;
}
