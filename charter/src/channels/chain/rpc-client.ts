import { backoffMs } from "../../prompt/bounds.ts";
import { countOf, isHash, isHex, isQuantity } from "./node-answer.ts";

/** A node of a chain, by its address. */
export type RpcNode = {
  /** Host of the node: the rest of the address may have a key in it. */
  readonly host: string;
  /** Sends a request; a failure is an `RpcError`. */
  readonly request: (method: string, params: readonly unknown[], signal?: AbortSignal) => Promise<unknown>;
  /** Returns the milliseconds for which it is not asked, after a failure; 0 while it is well. */
  readonly restsFor: () => number;
  /** Returns the reason of its last failure; undefined while it is well. */
  readonly trouble: () => string | undefined;
  /** Lets the node rest for a while, because of a useless answer. */
  readonly rest: (because: string) => void;
};

/** A client of a chain's nodes, which are asked by JSON-RPC over HTTP. */
export type RpcClient = {
  /** The nodes, in the order in which they were given. */
  readonly nodes: readonly RpcNode[];
  /** Asks the nodes that are well, one after the other, until one answers. */
  readonly request: (method: string, params: readonly unknown[], signal?: AbortSignal) => Promise<unknown>;
  /** Sets which nodes are asked first, in this order. */
  readonly prefer: (first: readonly RpcNode[]) => void;
};

/** Options of `createRpcClient`. */
type RpcClientOptions = {
  readonly addresses: readonly string[];
  readonly clock: () => Date;
  readonly random: () => number;
  readonly fetch?: typeof globalThis.fetch;
  /** Maximum milliseconds of one request; 10 seconds by default. */
  readonly timeoutMs?: number;
};

/** Maximum characters of one answer. */
const maxAnswerChars = 64 * 1024 * 1024;

export function createRpcClient(options: RpcClientOptions): RpcClient {
  const nodes = options.addresses.map((address) => createNode(address, options));
  let asked = nodes;
  return {
    nodes,
    prefer: (first) => {
      asked = [...first, ...nodes.filter((node) => !first.includes(node))];
    },
    request: async (method, params, signal) => {
      const well = asked.filter((node) => node.restsFor() === 0);
      let last: RpcError | undefined;
      for (const node of well)
        try {
          return await node.request(method, params, signal);
        } catch (error) {
          if (!(error instanceof RpcError) || isFinal(error) || signal?.aborted) throw error;
          // Prefers a refusal, which tells more than no answer.
          if (last?.fault !== "refused" || error.fault === "refused") last = error;
        }
      throw last ?? allResting(nodes);
    },
  };
}

/** Makes the error for a time when no node can be asked, with the reason of each. */
export function allResting(nodes: readonly RpcNode[]): RpcError {
  const reasons = nodes.flatMap((node) => node.trouble() ?? []);
  const retryAfterMs = Math.min(...nodes.map((node) => node.restsFor()));
  return new RpcError("away", "", ["no address of the chain answers.", ...reasons].join(" "), { retryAfterMs });
}

function createNode(
  address: string,
  { clock, random, fetch = globalThis.fetch, timeoutMs = 10_000 }: RpcClientOptions,
): RpcNode {
  const { url, host, headers: ownHeaders, repeatable } = readRpcAddress(address);
  let failures = 0;
  let resting: { readonly since: number; readonly ms: number; readonly because: string } | undefined;
  let count = 0;
  const rest = (because: string, atLeastMs = 0) => {
    const ms = Math.max(atLeastMs, backoffMs(failures++, random, { min: 500 }));
    resting = { since: clock().getTime(), ms, because };
  };
  /** Returns the rest's remaining milliseconds. A clock that was set back ends it. */
  const restsFor = () => {
    const passed = clock().getTime() - (resting?.since ?? 0);
    return resting === undefined || passed < 0 ? 0 : Math.max(0, resting.ms - passed);
  };
  const ask = async (method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> => {
    const id = ++count;
    const late = AbortSignal.timeout(timeoutMs);
    const text = await post(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const result = resultOf(text, id);
    if (!isSoundAnswer(method, params, result)) throw noAnswer();
    return result;

    function noAnswer(): RpcError {
      return new RpcError("garbage", host, `what it said to ${method} is no answer.`);
    }

    async function post(body: string): Promise<string> {
      try {
        const headers = { "content-type": "application/json", ...ownHeaders };
        const both = signal ? AbortSignal.any([signal, late]) : late;
        const response = await fetch(url, { method: "POST", headers, body, signal: both, redirect: "error" });
        if (response.status !== 200) {
          const errorBody = await response.text().catch(() => "");
          const waits = retryAfterMs(response.headers.get("retry-after"), clock().getTime());
          const problem = answerOf(errorBody)?.error;
          const fault = problem
            ? faultOfAnswer(method, problem.code, problem.message)
            : faultOfStatus(method, response.status);
          throw new RpcError(
            fault === "refused" ? faultOfStatus(method, response.status) : fault,
            host,
            `status ${response.status}.`,
            {
              ...(waits === undefined ? {} : { retryAfterMs: waits }),
            },
          );
        }
        const text = await response.text();
        if (text.length > maxAnswerChars) throw new RpcError("too-large", host, "an answer of more than 64 MB.");
        return text;
      } catch (error) {
        if (error instanceof RpcError) throw error;
        throw new RpcError("away", host, late.aborted ? `no answer in ${timeoutMs} ms.` : "it cannot be reached.");
      }
    }

    function resultOf(text: string, asked: number): unknown {
      const answer = answerOf(text);
      if (!answer || answer.id !== asked) throw noAnswer();
      if (!answer.error) return answer.result;
      const { code, message, data } = answer.error;
      throw new RpcError(faultOfAnswer(method, code, message), host, repeatable(message), { code, data });
    }
  };
  return {
    host,
    restsFor,
    trouble: () => resting?.because,
    rest: (because) => rest(because),
    request: async (method, params, signal) => {
      try {
        const result = await ask(method, params, signal);
        failures = 0;
        resting = undefined;
        return result;
      } catch (error) {
        if (error instanceof RpcError && !signal?.aborted && ["busy", "away", "garbage"].includes(error.fault))
          rest(error.message, error.retryAfterMs);
        throw error;
      }
    },
  };
}

type RpcAnswer = {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

/** Reads an answer of JSON-RPC: a result, which may be null, or an error with its code and message. */
function answerOf(text: string): RpcAnswer | undefined {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== "object" || read === null) return undefined;
    const { id, result, error } = read as RpcAnswer;
    if (error === undefined || error === null) return "result" in read ? { id, result } : undefined;
    const { code, message } = Object(error) as { code?: unknown; message?: unknown };
    const data = (error as { data?: unknown }).data;
    return { id, error: { code: Number(code), message: String(message ?? ""), data } };
  } catch {
    return undefined;
  }
}

/** The parts of a node's address: the URL, its headers, and the parts that may be shown. */
type RpcAddress = {
  readonly url: string;
  /** Host of the node: the rest of the address may have a key in it. */
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Cleans a message of the node for repetition: on one line, and without the secrets of its own address. */
  readonly repeatable: (words: string) => string;
};

/** Minimum length of a path segment that counts as a key; names of networks and versions are shorter. */
const minKeyChars = 8;
/** Minimum length of a part of a secret that would give it away. */
const minPartChars = 6;
const maxMessageChars = 300;

function readRpcAddress(address: string): RpcAddress {
  const url = new URL(address);
  const { host, username, password, pathname, searchParams } = url;
  const [user, word] = [decoded(username), decoded(password)];
  const basic = user === "" && word === "" ? undefined : Buffer.from(`${user}:${word}`).toString("base64");
  // Moves the credentials into a header: `fetch` refuses a URL that contains them.
  url.username = "";
  url.password = "";
  const inPath = pathname.split("/").filter((piece) => piece.length >= minKeyChars);
  const all = [username, password, basic ?? "", ...inPath, ...searchParams.values()];
  const secrets = [...new Set(all.flatMap((one) => [one, decoded(one), encodeURIComponent(one)]))]
    .filter((one) => one !== "")
    .sort((one, other) => other.length - one.length);
  const isPart = (word: string) => secrets.some((secret) => secret.toLowerCase().includes(word.toLowerCase()));
  return {
    url: url.href,
    host,
    headers: basic === undefined ? {} : { authorization: `Basic ${basic}` },
    repeatable: (words) => {
      let cleaned = words;
      for (const secret of secrets) cleaned = cleaned.replaceAll(secret, "…");
      return cleaned
        .replace(/[\w.~%+/=-]+/g, (word) => (word.length >= minPartChars && isPart(bare(word)) ? "…" : word))
        .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
        .slice(0, maxMessageChars);
    },
  };
}

/** Removes the dots of a truncated word; returns a text that matches nothing, where too little is left. */
function bare(word: string): string {
  const left = word.replace(/\.+$/, "");
  return left.length >= minPartChars ? left : "\n";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

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

/** Returns true if an answer is possible for the method; otherwise another node is asked. */
function isSoundAnswer(method: string, params: readonly unknown[], answer: unknown): boolean {
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

/** Checks a receipt. For a transaction that is in no block some nodes return null, others only its hash. */
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

/**
 * The kinds of failure of a node.
 *
 * `busy`: it was asked too often. `away`: it cannot be reached, is late, or fails. `garbage`: its answer makes no sense.
 * `too-large`: it does not report so much at once. `refused`: it understood the request and refused it.
 */
type RpcFault = "busy" | "away" | "garbage" | "too-large" | "refused";

type RpcErrorAbout = { readonly code?: number; readonly data?: unknown; readonly retryAfterMs?: number };

/** A failure of a node, or of all (without a host). It names the host only: the rest of the address may contain a key. */
export class RpcError extends Error {
  readonly fault: RpcFault;
  readonly host: string;
  readonly code: number | undefined;
  readonly data: unknown;
  /** Milliseconds for which the node asks to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(fault: RpcFault, host: string, message: string, about: RpcErrorAbout = {}) {
    super(host === "" ? message : `${host}: ${message}`);
    this.name = "RpcError";
    this.fault = fault;
    this.host = host;
    this.code = about.code;
    this.data = about.data;
    this.retryAfterMs = about.retryAfterMs;
  }
}

const oftenWords =
  /\brate\b|rate.?limit|too many requests|requests? (?:per|count|limit)|throughput|compute units|capacity|\bquota\b|try again later/i;

const largeWords = [
  /block range|range (?:is |was )?too|range limit|ranges? over|max(?:imum)?(?: block| rpc)? range|range exceed/i,
  /limited to (?:a |an )?[\d,]+|more than [\d,]+ (?:results|logs|blocks)|too many (?:blocks|logs|results)/i,
  /response size|(?:response|result|payload)s? (?:is |are )?too (?:big|large)|exceeds? (?:the )?(?:max|limit|range)/i,
  /logs matched by query|query timeout|reduc\w* (?:the |your )?(?:block )?range|over [\d,]+ blocks|not greater than \d+ bytes/i,
];

/** Classifies an error that a node returned, by the words that providers use. */
export function faultOfAnswer(method: string, code: number, message: string): RpcFault {
  if (oftenWords.test(message) || code === 429) return "busy";
  if (method === "eth_getLogs" && largeWords.some((words) => words.test(message))) return "too-large";
  // Infura and others have one code for whatever is too much.
  if (method === "eth_getLogs" && code === -32_005) return "too-large";
  return code === -32_005 ? "busy" : "refused";
}

/** Classifies an HTTP status other than 200. */
export function faultOfStatus(method: string, status: number): RpcFault {
  if (status === 429) return "busy";
  return status === 413 && method === "eth_getLogs" ? "too-large" : "away";
}

const maxWaitMs = 5 * 60_000;

/** Reads the wait that a `Retry-After` asks for: seconds, or a date. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const asked = /^\s*\d+(?:\.\d+)?\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(asked) ? undefined : Math.min(maxWaitMs, Math.max(0, Math.round(asked)));
}

/** Returns true for a refusal that any other node would repeat. */
export function isFinal({ fault, code, message }: RpcError): boolean {
  return (
    fault === "refused" &&
    (code === 3 || /revert|nonce too low|already known|insufficient funds|underpriced/i.test(message))
  );
}
