import { countOf, isHash, isHex, isQuantity } from "./node-answer.ts";

type Check = (answer: unknown, params: readonly unknown[]) => boolean;

const isCount: Check = (answer) => countOf(answer) !== undefined;
const isNothing = (answer: unknown) => answer === undefined || answer === null;
const isAmount: Check = (answer) => isNothing(answer) || isQuantity(answer);

const checks: Readonly<Record<string, Check>> = {
  eth_chainId: isCount,
  eth_getTransactionCount: isCount,
  eth_getBalance: isQuantity,
  eth_estimateGas: isQuantity,
  eth_maxPriorityFeePerGas: isQuantity,
  eth_call: isHex,
  eth_getCode: isHex,
  eth_getLogs: Array.isArray,
  eth_sendRawTransaction: isHash,
  eth_getBlockByNumber: isBlock,
  eth_getTransactionReceipt: isReceipt,
  eth_getTransactionByHash: isTransaction,
};

/** Whether an answer is one that the method can have: what is not is asked for elsewhere. */
export function isSoundAnswer(method: string, params: readonly unknown[], answer: unknown): boolean {
  const check = Object.hasOwn(checks, method) ? checks[method] : undefined;
  return check === undefined || check(answer, params);
}

function isBlock(answer: unknown, params: readonly unknown[]): boolean {
  if (answer === null) return true;
  if (typeof answer !== "object") return false;
  const { number, hash, baseFeePerGas } = answer as Readonly<Record<string, unknown>>;
  const asked = countOf(params[0]);
  const isAsked = asked === undefined ? isCount(number, params) : countOf(number) === asked;
  return isAsked && isHash(hash) && isAmount(baseFeePerGas, params);
}

function isTransaction(answer: unknown, params: readonly unknown[]): boolean {
  if (answer === null) return true;
  const { hash } = Object(answer) as { readonly hash?: unknown };
  return isHash(hash) && hash.toLowerCase() === String(params[0]).toLowerCase();
}

/** Of a transaction that is in no block some say nothing, others which transaction it is. */
function isReceipt(answer: unknown, params: readonly unknown[]): boolean {
  if (answer === null) return true;
  if (typeof answer !== "object" || Array.isArray(answer)) return false;
  const { transactionHash, blockNumber, blockHash, status, gasUsed, effectiveGasPrice, l1Fee } = answer as Readonly<
    Record<string, unknown>
  >;
  const asked = String(params[0]).toLowerCase();
  if (!isNothing(transactionHash) && String(transactionHash).toLowerCase() !== asked) return false;
  if (isNothing(blockNumber) && isNothing(blockHash)) return true;
  const amounts = [effectiveGasPrice, l1Fee].every((one) => isAmount(one, params));
  const numbers = isCount(blockNumber, params) && isQuantity(status) && isQuantity(gasUsed);
  return numbers && isHash(blockHash) && amounts;
}
