import { isAddress } from "../../charters/ether.ts";
import { checkNeeded, isText } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { TypedData } from "./typed-data.ts";

/** A message to an agent that its sender signs instead of showing a token. */
export type SignedMessage = {
  /** The public address of the service, with its path, without a slash at the end: https://charter.example.org */
  readonly service: string;
  readonly agent: string;
  /** The address whose key signs. */
  readonly sender: string;
  readonly id: string;
  readonly body: string;
  /** Until when the signature holds, in seconds since 1970: at most ten minutes ahead. */
  readonly expires: number;
  /** The chain the wallet is on: 8453 (Base), unless the operator says otherwise. */
  readonly chain?: number;
};

export const usualChain = 8453;

const minutesAhead = 10;

/** What a wallet signs to send a message: typed data, as `eth_signTypedData_v4` and every library take it. */
export function inboxTypedData(message: SignedMessage): TypedData {
  const aText = [isText, "Give { service, agent, sender, id, body, expires }."] as const;
  const texts = { service: aText, agent: aText, sender: aText, id: aText, body: aText };
  checkNeeded<SignedMessage>("inboxTypedData", message, texts);
  const { service, agent, sender, id, body, expires, chain: chainId = usualChain } = message;
  return {
    domain: { name: "Charter inbox", version: "1", chainId },
    types: {
      EIP712Domain: [
        { name: "name", type: "string" },
        { name: "version", type: "string" },
        { name: "chainId", type: "uint256" },
      ],
      Message: [
        { name: "service", type: "string" },
        { name: "agent", type: "string" },
        { name: "sender", type: "address" },
        { name: "id", type: "string" },
        { name: "body", type: "string" },
        { name: "expires", type: "uint256" },
      ],
    },
    primaryType: "Message",
    message: { service, agent, sender, id, body, expires },
  };
}

/** Whether it can be signed at all, and holds now. Half a character would be signed as another one. */
export function checkSignedMessage({ agent, sender, id, body, expires }: SignedMessage, now: number): void {
  if (!isAddress(sender))
    throw badSignature(`The sender ${JSON.stringify(sender)} is no address.`, "Give 0x and 40 hex digits.");
  for (const text of [agent, id, body])
    if (!text.isWellFormed())
      throw badSignature("The message holds half a character.", "Fix the text where it comes from, and sign again.");
  const seconds = expires - now / 1000;
  if (seconds <= 0) throw badExpiry(`The signature expired at ${timeOf(expires)}.`);
  if (seconds > minutesAhead * 60)
    throw badExpiry(`The signature would hold until ${timeOf(expires)}, longer than ${minutesAhead} minutes.`);
}

export function badSignature(message: string, hint: string): Problem {
  return new Problem("bad-signature", message, hint);
}

function badExpiry(message: string): Problem {
  return new Problem("bad-expiry", message, `Sign again, with an expiry at most ${minutesAhead} minutes from now.`);
}

function timeOf(seconds: number): string {
  const at = new Date(seconds * 1000);
  return Number.isNaN(at.getTime()) ? `second ${seconds}` : at.toISOString();
}
