import type { Hook } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Asked } from "./api.ts";
import { problemAnswer } from "./error.ts";

type Checked = Parameters<Hook<unknown, Asked, string, unknown>>[0];

/** Where a request is not as its schema says: every place, at once. */
export function faultsAnswer(checked: Checked, context: Context<Asked>): Response | undefined {
  if (checked.success) return undefined;
  const faults = checked.error.issues.map(({ path, message }) => ({
    at: [checked.target === "json" ? "body" : checked.target, ...path.map(String)].join("."),
    because: message,
  }));
  const told = {
    code: "bad-request",
    message: `The request cannot be understood: ${faults.map(({ at, because }) => `${at}: ${because}`).join("; ")}.`,
    hint: "Mend what is named; /openapi.json says what each address takes.",
  };
  return problemAnswer(context, told, { more: { faults } });
}
