/** Asks a node of a chain: a method of JSON-RPC with its parameters. Throws the node's refusal. */
export type AskNode = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** An answer of a node that makes no sense. The node is asked again later, like one that does not answer. */
export class NonsenseAnswer extends Error {
  constructor(what: string) {
    super(`The node's answer for ${what} makes no sense.`);
    this.name = "NonsenseAnswer";
  }
}

/** Reads a count of blocks, transactions or events, as nodes write it: 0x and hex digits. */
export function countOf(answer: unknown): number | undefined {
  if (typeof answer !== "string" || !/^0x[0-9a-f]{1,14}$/i.test(answer)) return undefined;
  const count = Number(answer);
  return Number.isSafeInteger(count) ? count : undefined;
}

/** Returns true for the hash of a block or transaction. */
export function isHash(answer: unknown): answer is `0x${string}` {
  return typeof answer === "string" && /^0x[0-9a-f]{64}$/i.test(answer);
}

/** Returns true for a number as nodes write it: 0x and hex digits. */
export function isQuantity(answer: unknown): answer is `0x${string}` {
  return typeof answer === "string" && /^0x[0-9a-f]{1,64}$/i.test(answer);
}

/** Returns true for bytes as nodes write them: 0x and two hex digits for each. */
export function isHex(answer: unknown): answer is `0x${string}` {
  return typeof answer === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(answer);
}

export function readQuantity(what: string, answer: unknown): bigint {
  if (!isQuantity(answer)) throw new NonsenseAnswer(what);
  return BigInt(answer);
}

/** Reads a quantity that is a count. */
export function readCount(what: string, answer: unknown): number {
  const count = countOf(answer);
  if (count === undefined) throw new NonsenseAnswer(what);
  return count;
}

export function readHex(what: string, answer: unknown): `0x${string}` {
  if (!isHex(answer)) throw new NonsenseAnswer(what);
  return answer;
}

export function readHash(what: string, answer: unknown): `0x${string}` {
  if (!isHash(answer)) throw new NonsenseAnswer(what);
  return answer.toLowerCase() as `0x${string}`;
}

export function readObject(what: string, answer: unknown): Readonly<Record<string, unknown>> {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new NonsenseAnswer(what);
  return answer as Readonly<Record<string, unknown>>;
}

/** The fields of a block that matter here. */
export type NodeBlock = { readonly number: number; readonly hash: string; readonly baseFee: bigint };

/** A block by its number, or by a word for one. */
type BlockTag = number | "latest" | "finalized";

/** Reads a block; undefined, where the node has none. Throws where the answer is not that block. */
export async function findBlock(ask: AskNode, tag: BlockTag): Promise<NodeBlock | undefined> {
  const answer = await ask("eth_getBlockByNumber", [typeof tag === "number" ? hexOf(tag) : tag, false]);
  if (answer === null) return undefined;
  const block = readObject("a block", answer);
  const number = readCount("a block's number", block.number);
  if (typeof tag === "number" && number !== tag) throw new NonsenseAnswer(`block ${tag}`);
  return {
    number,
    hash: readHash("a block's hash", block.hash),
    baseFee: readQuantity("the base fee", block.baseFeePerGas ?? "0x0"),
  };
}

/** Reads the newest block. */
export async function readHead(ask: AskNode): Promise<NodeBlock> {
  const head = await findBlock(ask, "latest");
  if (head === undefined) throw new NonsenseAnswer("the newest block");
  return head;
}

/** Reads the last block that counts as lasting; -1 while none does. */
export async function readConfirmed(ask: AskNode, head: number, confirmations: number | "finalized"): Promise<number> {
  if (confirmations !== "finalized") return confirmedBlock(head, confirmations);
  return (await findBlock(ask, "finalized"))?.number ?? -1;
}

export function hexOf(number: number): string {
  return `0x${number.toString(16)}`;
}

/** A refusal by a node: its message, and the contract's data, if any. */
type NodeRefusal = { readonly message: string; readonly data: `0x${string}` | undefined };

/** Reads a node's refusal; undefined, where something else went wrong: it was not reached, or not understood. */
export function refusalOf(error: unknown): NodeRefusal | undefined {
  const { fault = "refused", code, message, data } = Object(error) as Readonly<Record<string, unknown>>;
  if (fault !== "refused" || typeof code !== "number" || typeof message !== "string") return undefined;
  return { message, data: hexIn(data) ?? hexIn(Object(data).data) };
}

/** Returns true if the contract refused the call: it returned data of its own, or the node says so. */
export function isRevert({ message, data }: NodeRefusal): boolean {
  return (data !== undefined && data.length >= 10) || /revert|invalid opcode/i.test(message);
}

function hexIn(value: unknown): `0x${string}` | undefined {
  return typeof value === "string" && /^0x[0-9a-f]*$/i.test(value) ? (value as `0x${string}`) : undefined;
}

/** Returns the last block that counts as lasting: one with `confirmations` blocks from it to the head, itself included. */
export function confirmedBlock(head: number, confirmations: number): number {
  return head + 1 - confirmations;
}
