import type { Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Refusal } from "../../amend/operation.ts";
import type { Caller } from "../../operations/caller.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { signInPage } from "./sign-in-pages.ts";
import { pagePolicy, pagePolicyWith } from "./static-pages.ts";
import { isForChat } from "./this-server.ts";

/** One place of a request that is not as it has to be. */
type InvalidField = { readonly at: string; readonly reason: string };

/** The body of every answer that is not a success. */
export type ErrorBody = {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
    /** Every guard's objection, where a proposal was refused. */
    readonly refusals?: readonly Refusal[];
    /** Every place of the request that has to be mended. */
    readonly invalid?: readonly InvalidField[];
    /** Which line of the server's log tells more, where the answer must not. */
    readonly request?: string;
    /** The turn that failed, where one had begun: it is on record. */
    readonly turn?: string;
    /** What the model answered, where that is not what the turn's `output` says. */
    readonly reply?: string | null;
  };
};

export type ProblemFacts = { readonly code: string; readonly message: string; readonly hint: string };

/** Makes the body of an error answer from a Problem, for routes of your own. */
export function errorBody(
  { code, message, hint }: ProblemFacts,
  more: Partial<Omit<ErrorBody["error"], keyof ProblemFacts>> = {},
): ErrorBody {
  return { error: { code, message, hint, ...more } };
}

/** A Problem as an answer. */
export function problemAnswer(
  context: Context<ApiEnv>,
  problem: ProblemFacts,
  about: {
    readonly more?: Parameters<typeof errorBody>[1];
    readonly headers?: Readonly<Record<string, string>>;
    readonly status?: ErrorStatus;
  } = {},
): Response {
  context.set("code", problem.code);
  return context.json(
    errorBody(problem, about.more),
    about.status ?? statusFor(context.get("caller"), problem.code),
    about.headers,
  );
}

/**
 * Whatever was thrown, as an answer. What the server stands on (its database, its configuration, its own faults) is
 * nobody's business but the operator's: others learn that it failed, and by which name to ask about it.
 */
export function failure(context: Context<ApiEnv>, thrown: unknown): Response {
  const request = context.get("requestId");
  if (thrown instanceof HTTPException) return problemAnswer(context, misreadProblem(thrown.status));
  if (!(thrown instanceof Problem)) return problemAnswer(context, internalProblem, { more: { request }, status: 500 });
  const { code, message, hint } = thrown;
  const status = statusFor(context.get("caller"), code);
  const wantsPage = context.req.header("sec-fetch-mode") === "navigate" && !isForChat(context.req.path);
  if (status === 401 && wantsPage) return redirectToSignIn(context, code);
  if (status < 500) return problemAnswer(context, { code, message, hint }, challenge(code));
  return problemAnswer(context, problemFactsFor(context.get("caller"), { code, message, hint }), {
    more: { request },
    ...(status === 503 && { headers: { "retry-after": "5" } }),
  });
}

/** Someone at a browser sees a page that says how to sign in, in the place of whatever they wanted to see. */
function redirectToSignIn(context: Context<ApiEnv>, code: string): Response {
  context.set("code", code);
  return context.html(signInPage, 401, { ...challenge(code).headers, "content-security-policy": pagePolicy });
}

/** A Problem in the words this caller may read. */
export function problemFactsFor(caller: Caller | undefined, { code, message, hint }: ProblemFacts): ProblemFacts {
  if (statusFor(caller, code) < 500 || caller?.kind === "operator") return { code, message, hint };
  return { ...unanswered, code };
}

export const internalProblem: ProblemFacts = {
  code: "internal",
  message: "An unexpected error occurred on the server.",
  hint: "Tell the operator the request's id: the server's log has the details.",
};

const unanswered = {
  message: "The service cannot answer this now.",
  hint: "Try again in a while; if it stays so, tell the operator which request it was.",
};

/** Who sends no token, or none that holds, is told what kind is wanted. */
function challenge(code: string): { headers?: Readonly<Record<string, string>> } {
  if (statusOf(code) !== 401 || code === "signed-out") return {};
  const why = code === "no-token" ? "" : ', error="invalid_token"';
  return { headers: { "www-authenticate": `Bearer realm="charter"${why}` } };
}

/** What the router itself objects to, before a route sees the request. */
function misreadProblem(status: number): ProblemFacts {
  if (status === 415)
    return {
      code: "bad-content-type",
      message: "This address does not accept that content type.",
      hint: "Send JSON, with the header “content-type: application/json”.",
    };
  return { code: "bad-request", message: "The body is no JSON.", hint: "Send one JSON value, in UTF-8." };
}

type ErrorStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 410
  | 413
  | 415
  | 421
  | 422
  | 429
  | 431
  | 500
  | 502
  | 503
  | 507;

const codes: Readonly<Partial<Record<ErrorStatus, readonly string[]>>> = {
  // Said by whoever asked: what `bad-…` and `unknown-…` do not cover, or mean otherwise.
  400: ["control-token", "malformed-text", "needs-user", "usage"],
  401: ["bad-sign-in", "no-token", "signed-out", "wrong-token"],
  403: ["foreign-page", "not-allowed", "unknown-person"],
  404: ["agent-removed", "not-found"],
  405: ["method-not-allowed"],
  408: ["too-slow"],
  409: [
    "agent-exists",
    "agent-frozen",
    "already-decided",
    "key-reused",
    "message-exists",
    "row-exists",
    "compaction-elsewhere",
    "identity-taken",
    "nothing-said",
    "session-busy",
    "session-ended",
    "stale",
    "turn-elsewhere",
    "turn-exists",
    "turn-interrupted",
    "turn-over",
    "turn-stopped",
  ],
  410: ["erased", "request-unknown"],
  413: ["attachment-too-large", "request-too-long", "too-large", "too-many-attachments"],
  415: ["bad-content-type"],
  421: ["wrong-host"],
  422: [
    "charter-elsewhere",
    "client-prompt-refused",
    "clock-poisoned",
    "fixed-words-late",
    "input-handled",
    "no-core-memory",
    "no-inbox",
    "no-prompt",
    "no-room",
    "not-in-demo",
    "not-served",
    "refused",
    "section-too-large",
  ],
  429: ["inbox-full", "out-of-cycles", "rate-limited", "spending-limit"],
  431: ["headers-too-large"],
  // Nothing the caller can mend: what the operator has configured, or what the server stands on.
  500: [
    "acp-directory",
    "bad-address",
    "bad-database",
    "bad-key",
    "bad-lock",
    "bad-reading",
    "bad-tool",
    "bad-workspace",
  ],
  502: [
    "bad-output",
    "compaction-failed",
    "model-aborted",
    "model-cut",
    "model-failed",
    "model-rejected",
    "model-unreachable",
    "turn-steps",
    "turn-time",
  ],
  503: [
    "closing",
    "issuer-unreachable",
    "keys-unreachable",
    "model-busy",
    "newer-schema",
    "no-database",
    "older-schema",
    "read-only",
    "standing-unavailable",
    "store-busy",
    "store-closed",
    "store-failed",
    "store-gone",
    "store-refused",
    "store-unreachable",
    "token-unchecked",
  ],
  507: ["disk-full"],
};

const statuses: ReadonlyMap<string, ErrorStatus> = new Map(
  Object.entries(codes).flatMap(([status, named]) => named.map((code) => [code, Number(status) as ErrorStatus])),
);

/** The HTTP status a Problem is answered with. What no caller is told of by name is a 500. */
export function statusOf(code: string): ErrorStatus {
  const known = statuses.get(code);
  if (known !== undefined) return known;
  if (code.startsWith("unknown-")) return 404;
  return code.startsWith("bad-") ? 400 : 500;
}

/** What an operator may have said wrong: an agent's model, its charter, its settings. */
const ofOperators = new Set([
  "bad-facts",
  "bad-settings",
  "unknown-charter",
  "unknown-embedder",
  "unknown-model",
  "unknown-tokenizer",
]);

/** The same for whoever asks: what only an operator can have got wrong, and mend, is a fault of the server's to others. */
export function statusFor(caller: { readonly kind: string } | undefined, code: string): ErrorStatus {
  return caller?.kind !== "operator" && ofOperators.has(code) ? 500 : statusOf(code);
}

/** For somebody at a browser. */
const noSuchPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Page not found · Charter</title>
<h1>Page not found</h1>
<p>There is no page at this address. Check it, or <a href="/">go to the first page</a>.</p>
</html>
`;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Nothing is there; or something is, and is asked in another way. */
export function notFoundAnswer(app: Hono<ApiEnv>, context: Context<ApiEnv>): Response {
  const { path, method } = context.req;
  const known = methods.filter((one) => app.router.match(one, path)[0].some(([[, route]]) => route.method === one));
  const allow = known.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one])).join(", ");
  if (known.length > 0 && method === "OPTIONS") return context.body(null, 204, { allow });
  if (known.length > 0) {
    const told = {
      code: "method-not-allowed",
      message: `This address does not accept ${/^[A-Z]{1,10}$/.test(method) ? method : "that method"}.`,
      hint: `Use ${allow}.`,
    };
    return problemAnswer(context, told, { headers: { allow } });
  }
  if (!path.startsWith("/api/") && context.req.header("accept")?.includes("text/html"))
    return context.body(noSuchPage, 404, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": pagePolicyWith({}),
    });
  const told = {
    code: "not-found",
    message: "There is no such address on this server.",
    hint: "/docs lists every address.",
  };
  return problemAnswer(context, told);
}
