import { randomUUID } from "node:crypto";
import { addr, signTyped } from "micro-eth-signer";
import { inboxTypedData, type SignedMessage } from "../../../src/server/index.ts";

/** A key, its address, and what it signs: by a library that knows nothing of us. */
export type Wallet = {
  readonly address: string;
  readonly sign: (message: Omit<SignedMessage, "sender">) => string;
};

/** Each number is another key. */
export function walletOf(number: number): Wallet {
  const key = `0x${(BigInt(number) + 1n).toString(16).padStart(64, "0")}`;
  const address = addr.fromPrivateKey(key);
  return { address, sign: (message) => signTyped(inboxTypedData({ ...message, sender: address }) as never, key) };
}

export type SignedBody = {
  readonly sender: string;
  readonly body: string;
  readonly id: string;
  readonly expires: number;
  readonly signature: string;
};

/** What is posted: the message with its signature. */
export function signedBody(
  wallet: Wallet,
  about: Pick<SignedMessage, "service" | "agent" | "expires"> & Partial<SignedMessage>,
): SignedBody {
  const message = { id: randomUUID(), body: "Is the shop open?", ...about };
  const { id, body, expires } = message;
  return { sender: wallet.address, body, id, expires, signature: wallet.sign(message) };
}
