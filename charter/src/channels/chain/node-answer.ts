import { confirmedBlock } from "./read-plan.ts";

/** Asks a node of a chain: a method of JSON-RPC and what it takes. Throws what the node says no with. */
export type AskNode = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** What a node answers that makes no sense. It is asked again later, as one that does not answer. */
function nonsense(what: string): Error {
  return new Error(`The node's answer for ${what} makes no sense.`);
}

/** A number as nodes write it: 0x and hex digits. */
export function readQuantity(what: string, answer: unknown): bigint {
  if (typeof answer !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(answer)) throw nonsense(what);
  return BigInt(answer);
}

/** The same, where it is a count: of blocks, or of transactions. */
export function readCount(what: string, answer: unknown): number {
  const count = readQuantity(what, answer);
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw nonsense(what);
  return Number(count);
}

export function readHex(what: string, answer: unknown): `0x${string}` {
  if (typeof answer !== "string" || !/^0x(?:[0-9a-f]{2})*$/i.test(answer)) throw nonsense(what);
  return answer as `0x${string}`;
}

/** The name of a block or transaction. */
export function readHash(what: string, answer: unknown): `0x${string}` {
  const hash = readHex(what, answer);
  if (hash.length !== 66) throw nonsense(what);
  return hash;
}

export function readObject(what: string, answer: unknown): Readonly<Record<string, unknown>> {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw nonsense(what);
  return answer as Readonly<Record<string, unknown>>;
}

/** A block as far as senders need it. */
export type NodeBlock = { readonly number: number; readonly hash: string; readonly baseFee: bigint };

export async function readBlock(ask: AskNode, tag: "latest" | "finalized"): Promise<NodeBlock> {
  const block = readObject("a block", await ask("eth_getBlockByNumber", [tag, false]));
  return {
    number: readCount("a block's number", block.number),
    hash: readHash("a block's hash", block.hash),
    baseFee: readQuantity("the base fee", block.baseFeePerGas ?? "0x0"),
  };
}

/** The last block that counts as lasting. */
export async function readConfirmed(ask: AskNode, head: number, confirmations: number | "finalized"): Promise<number> {
  if (confirmations !== "finalized") return confirmedBlock(head, confirmations);
  return (await readBlock(ask, "finalized")).number;
}

/** What a node itself has said no with: its words, and what a contract gave with them. */
type NodeRefusal = { readonly message: string; readonly data: `0x${string}` | undefined };

/** Nothing, where something else went wrong: it was not reached, or not understood. */
export function refusalOf(error: unknown): NodeRefusal | undefined {
  const { fault = "refused", code, message, data } = Object(error) as Readonly<Record<string, unknown>>;
  if (fault !== "refused" || typeof code !== "number" || typeof message !== "string") return undefined;
  return { message, data: hexIn(data) ?? hexIn(Object(data).data) };
}

function hexIn(value: unknown): `0x${string}` | undefined {
  return typeof value === "string" && /^0x[0-9a-f]*$/i.test(value) ? (value as `0x${string}`) : undefined;
}
