/**
 * What an address of a chain did not do.
 *
 * `busy`: it was asked too often. `away`: it cannot be reached, is late, or fails. `garbage`: what it said is no answer.
 * `too-large`: it does not tell so much at once. `refused`: it has understood and says no.
 */
type RpcFault = "busy" | "away" | "garbage" | "too-large" | "refused";

type RpcErrorAbout = { readonly code?: number; readonly data?: unknown; readonly retryAfterMs?: number };

/** An address of a chain that did not answer, or all (without a host). It is called by its host: in the rest of it may stand a key. */
export class RpcError extends Error {
  readonly fault: RpcFault;
  readonly host: string;
  readonly code: number | undefined;
  readonly data: unknown;
  /** So long it wants to be left alone. */
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

/** What an error that an address gave as its answer means, by the words that providers use. */
export function faultOfAnswer(method: string, code: number, message: string): RpcFault {
  if (oftenWords.test(message) || code === 429) return "busy";
  if (method === "eth_getLogs" && largeWords.some((words) => words.test(message))) return "too-large";
  // Infura and others have one code for whatever is too much.
  if (method === "eth_getLogs" && code === -32_005) return "too-large";
  return code === -32_005 ? "busy" : "refused";
}

/** What an HTTP status other than 200 means. */
export function faultOfStatus(method: string, status: number): RpcFault {
  if (status === 429) return "busy";
  return status === 413 && method === "eth_getLogs" ? "too-large" : "away";
}

const longestWaitMs = 5 * 60_000;

/** How long a `Retry-After` asks to wait: seconds, or a date. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const asked = /^\s*\d+(?:\.\d+)?\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(asked) ? undefined : Math.min(longestWaitMs, Math.max(0, Math.round(asked)));
}

/** No other address would say anything else. */
export function isFinal({ fault, code, message }: RpcError): boolean {
  return (
    fault === "refused" &&
    (code === 3 || /revert|nonce too low|already known|insufficient funds|underpriced/i.test(message))
  );
}
