import { Problem, reasonOf } from "../../prompt/problem.ts";

/** A client asked for something that cannot be done as it was asked. */
export function badMessage(message: string, hint: string): Problem {
  return new Problem("bad-client-message", message, hint);
}

/** As JSON-RPC tells it. */
type ErrorFacts = {
  readonly code: number;
  readonly message: string;
  readonly data: { readonly code: string; readonly message: string; readonly hint: string };
};

const invalidRequest = -32600;
const invalidParams = -32602;
const internal = -32603;
const notFound = -32002;

/** What the client can mend in what it sent. */
const codes: Readonly<Record<string, number>> = {
  "unknown-session": notFound,
  "session-ended": notFound,
  "session-busy": invalidRequest,
  "bad-client-message": invalidParams,
  "client-prompt-refused": invalidParams,
  "charter-invalid": invalidParams,
  "bad-argument": invalidParams,
  "bad-input": invalidParams,
  "malformed-text": invalidParams,
  "no-such-directory": invalidParams,
  usage: invalidParams,
};

/** An error as the client is told it: the sentence and what to do about it, which editors show as they are. */
export function errorFacts(error: unknown): ErrorFacts {
  const { code, message, hint } =
    error instanceof Problem
      ? error
      : new Problem("internal", reasonOf(error), "This is a fault in Charter, not in the message; please report it.");
  const number = Object.hasOwn(codes, code) ? (codes[code] as number) : internal;
  return { code: number, message: `${message} ${hint}`.trim(), data: { code, message, hint } };
}
