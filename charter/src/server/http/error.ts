import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Refusal } from "../../amend/operation.ts";
import type { Caller } from "../../operations/caller.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { isForChat } from "./chat-path.ts";
import { pagePolicy } from "./security-headers.ts";
import { signInPage } from "./sign-in-page.ts";
import { type ErrorStatus, statusFor, statusOf } from "./status.ts";

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
