import type { Hook } from "@hono/zod-openapi";
import type { Context } from "hono";
import { grouped } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { problemAnswer } from "./error.ts";

type ValidationResult = Parameters<Hook<unknown, ApiEnv, string, unknown>>[0];

/** So many are named: whoever mends these sees the next. */
const maxInvalid = 50;

/** Where a request is not as its schema says: every place, at once. */
export function validationErrorAnswer(checked: ValidationResult, context: Context<ApiEnv>): Response | undefined {
  if (checked.success) return undefined;
  const { issues } = checked.error;
  const invalid = issues.slice(0, maxInvalid).map(({ path, message }) => ({
    at: [checked.target === "json" ? "body" : checked.target, ...path.map(String)].join("."),
    reason: message,
  }));
  const others = issues.length > maxInvalid ? `; and ${grouped(issues.length - maxInvalid)} more` : "";
  const told = {
    code: "bad-request",
    message: `The request is invalid: ${invalid.map(({ at, reason }) => `${at}: ${reason}`).join("; ")}${others}.`,
    hint: "Correct what is named; /openapi.json describes every address.",
  };
  return problemAnswer(context, told, { more: { invalid } });
}
