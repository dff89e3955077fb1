/** Asks a node of a chain: a method of JSON-RPC and what it takes. Throws what the node says no with. */
export type AskNode = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** What a node answered makes no sense. It is asked again later, as one that does not answer. */
export class NonsenseAnswer extends Error {
  constructor(what: string) {
    super(`The node's answer for ${what} makes no sense.`);
    this.name = "NonsenseAnswer";
  }
}

/** A count of blocks, transactions or events, as nodes write it: 0x and hex digits. */
export function countOf(answer: unknown): number | undefined {
  if (typeof answer !== "string" || !/^0x[0-9a-f]{1,14}$/i.test(answer)) return undefined;
  const count = Number(answer);
  return Number.isSafeInteger(count) ? count : undefined;
}

/** The name of a block or transaction. */
export function isHash(answer: unknown): answer is `0x${string}` {
  return typeof answer === "string" && /^0x[0-9a-f]{64}$/i.test(answer);
}

/** A number as nodes write it: 0x and hex digits. */
export function isQuantity(answer: unknown): answer is `0x${string}` {
  return typeof answer === "string" && /^0x[0-9a-f]{1,64}$/i.test(answer);
}

/** Bytes as nodes write them: 0x and two hex digits for each. */
export function isHex(answer: unknown): answer is `0x${string}` {
  return typeof answer === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(answer);
}

export function readQuantity(what: string, answer: unknown): bigint {
  if (!isQuantity(answer)) throw new NonsenseAnswer(what);
  return BigInt(answer);
}

/** The same, where it is a count. */
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

/** A block as far as it matters here. */
export type NodeBlock = { readonly number: number; readonly hash: string; readonly baseFee: bigint };

/** A block by its number, or by a word for one. */
type BlockTag = number | "latest" | "finalized";

/** The block that was asked for; nothing, where the node has none. Throws where the answer is no such block. */
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

/** The newest block. */
export async function readHead(ask: AskNode): Promise<NodeBlock> {
  const head = await findBlock(ask, "latest");
  if (head === undefined) throw new NonsenseAnswer("the newest block");
  return head;
}

/** The last block that counts as lasting; -1 while none does. */
export async function readConfirmed(ask: AskNode, head: number, confirmations: number | "finalized"): Promise<number> {
  if (confirmations !== "finalized") return confirmedBlock(head, confirmations);
  return (await findBlock(ask, "finalized"))?.number ?? -1;
}

export function hexOf(number: number): string {
  return `0x${number.toString(16)}`;
}

/** What a node itself has said no with: its words, and what a contract gave with them. */
type NodeRefusal = { readonly message: string; readonly data: `0x${string}` | undefined };

/** Nothing, where something else went wrong: it was not reached, or not understood. */
export function refusalOf(error: unknown): NodeRefusal | undefined {
  const { fault = "refused", code, message, data } = Object(error) as Readonly<Record<string, unknown>>;
  if (fault !== "refused" || typeof code !== "number" || typeof message !== "string") return undefined;
  return { message, data: hexIn(data) ?? hexIn(Object(data).data) };
}

/** The contract was asked, and would not: it gave data of its own, or the node has words for it. */
export function isRevert({ message, data }: NodeRefusal): boolean {
  return (data !== undefined && data.length >= 10) || /revert|invalid opcode/i.test(message);
}

function hexIn(value: unknown): `0x${string}` | undefined {
  return typeof value === "string" && /^0x[0-9a-f]*$/i.test(value) ? (value as `0x${string}`) : undefined;
}

/** Up to this block a chain is taken as it is: a block with so many on it, itself among them, does not go. */
export function confirmedBlock(head: number, confirmations: number): number {
  return head + 1 - confirmations;
}
