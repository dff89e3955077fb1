import type { Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Refusal } from "../../amend/operation.ts";
import type { Caller } from "../../operations/caller.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { signInPage } from "./sign-in-pages.ts";
import { pagePolicy, pagePolicyWith } from "./static-pages.ts";
import { isForChat, isForGateway } from "./this-server.ts";

/** A field of a request that is not valid, and why. */
type InvalidField = { readonly at: string; readonly reason: string };

/** Body of every answer that is not a success. */
export type ErrorBody = {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
    /** Objections of all guards, if a proposal was refused. */
    readonly refusals?: readonly Refusal[];
    /** All invalid fields of the request. */
    readonly invalid?: readonly InvalidField[];
    /** Id of the request, by which the server's log tells more than the answer may. */
    readonly request?: string;
    /** Turn that failed, if one had begun: it is recorded. */
    readonly turn?: string;
    /** Answer of the model, if it does not match the turn's `output`. */
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

const kindsByStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

/** An error as OpenAI's clients read it: the Problem's words, its code, and the parameter it is about. */
export function chatErrorOf(
  { code, message, hint }: ProblemFacts,
  status: number,
  more: { readonly invalid?: readonly { readonly at: string }[]; readonly turn?: string } = {},
): { readonly error: object } {
  const type = kindsByStatus[status] ?? (status < 500 ? "invalid_request_error" : "server_error");
  const { invalid, ...others } = more;
  return { error: { message: `${message} ${hint}`, type, param: invalid?.[0]?.at ?? null, code, ...others } };
}

/** Answers with a Problem. */
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
  const status = about.status ?? statusFor(context.get("caller"), problem.code);
  const form = isForGateway(context.req.path)
    ? chatErrorOf(problem, status, about.more)
    : errorBody(problem, about.more);
  return context.json(form, status, about.headers);
}

/**
 * Answers with whatever was thrown. Faults of the server (its database, configuration or code) are shown to operators only:
 * others learn that it failed, and a request id to ask with.
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

/** Shows a browser the sign-in page in place of the page it asked for. */
function redirectToSignIn(context: Context<ApiEnv>, code: string): Response {
  context.set("code", code);
  return context.html(signInPage, 401, { ...challenge(code).headers, "content-security-policy": pagePolicy });
}

/** Text of a Problem that this caller may read. */
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

/** Header that tells a caller without a valid token which kind is expected. */
function challenge(code: string): { headers?: Readonly<Record<string, string>> } {
  if (statusOf(code) !== 401 || code === "signed-out") return {};
  const why = code === "no-token" ? "" : ', error="invalid_token"';
  return { headers: { "www-authenticate": `Bearer realm="charter"${why}` } };
}

/** Problem for requests that the router refuses before a route sees them. */
function misreadProblem(status: number): ProblemFacts {
  if (status === 415)
    return {
      code: "bad-content-type",
      message: "This address does not accept that content type.",
      hint: "Send JSON, with the header “content-type: application/json”.",
    };
  return { code: "bad-request", message: "The body is no JSON.", hint: "Send one JSON value, in UTF-8." };
}

const codes = {
  // Mistakes of the caller that the prefixes `bad-…` and `unknown-…` do not cover, or give another status.
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
    "client-tool-refused",
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
  // Faults the caller cannot mend: of the operator's configuration, or of what the server depends on.
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
    "unknown-data",
  ],
  507: ["disk-full"],
};

type ErrorStatus = keyof typeof codes;

const statuses: ReadonlyMap<string, ErrorStatus> = new Map(
  Object.entries(codes).flatMap(([status, named]) => named.map((code) => [code, Number(status) as ErrorStatus])),
);

/** HTTP status of a Problem; 500 for codes that are no caller's concern. */
export function statusOf(code: string): ErrorStatus {
  const known = statuses.get(code);
  if (known !== undefined) return known;
  if (code.startsWith("unknown-")) return 404;
  return code.startsWith("bad-") ? 400 : 500;
}

/** Mistakes that only an operator can make: an agent's model, its charter, its settings. They name sections. */
const ofOperators = new Set([
  "bad-facts",
  "bad-settings",
  "fixed-words-late",
  "no-room",
  "section-too-large",
  "unknown-charter",
  "unknown-embedder",
  "unknown-model",
  "unknown-tokenizer",
]);

/** HTTP status of a Problem for a caller: a mistake only an operator can make is the server's fault to everyone else. */
export function statusFor(caller: { readonly kind: string } | undefined, code: string): ErrorStatus {
  return caller?.kind !== "operator" && ofOperators.has(code) ? 500 : statusOf(code);
}

/** Page for a person at a browser. */
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

/** Answers for an unknown address, or for a known one that was asked with the wrong method. */
export function notFoundAnswer(app: Hono<ApiEnv>, context: Context<ApiEnv>): Response {
  const { path, method } = context.req;
  const known = methods.filter((one) => app.router.match(one, path)[0].some(([[, route]]) => route.method === one));
  const allow = known.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one])).join(", ");
  if (known.length > 0 && method === "OPTIONS") return context.body(null, 204, { allow });
  if (known.length > 0) {
    const problem = {
      code: "method-not-allowed",
      message: `This address does not accept ${/^[A-Z]{1,10}$/.test(method) ? method : "that method"}.`,
      hint: `Use ${allow}.`,
    };
    return problemAnswer(context, problem, { headers: { allow } });
  }
  if (!path.startsWith("/api/") && context.req.header("accept")?.includes("text/html"))
    return context.body(noSuchPage, 404, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": pagePolicyWith({}),
    });
  const problem = {
    code: "not-found",
    message: "There is no such address on this server.",
    hint: "/docs lists every address.",
  };
  return problemAnswer(context, problem);
}
