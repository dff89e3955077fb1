import type { Hook } from "@hono/zod-openapi";
import type { Context } from "hono";
import { grouped } from "../../prompt/problem.ts";
import type { Asked } from "./api.ts";
import { problemAnswer } from "./error.ts";

type Checked = Parameters<Hook<unknown, Asked, string, unknown>>[0];

/** So many are named: whoever mends these sees the next. */
const mostFaults = 50;

/** Where a request is not as its schema says: every place, at once. */
export function faultsAnswer(checked: Checked, context: Context<Asked>): Response | undefined {
  if (checked.success) return undefined;
  const { issues } = checked.error;
  const faults = issues.slice(0, mostFaults).map(({ path, message }) => ({
    at: [checked.target === "json" ? "body" : checked.target, ...path.map(String)].join("."),
    because: message,
  }));
  const others = issues.length > mostFaults ? `; and ${grouped(issues.length - mostFaults)} more` : "";
  const told = {
    code: "bad-request",
    message: `The request cannot be understood: ${faults.map(({ at, because }) => `${at}: ${because}`).join("; ")}${others}.`,
    hint: "Mend what is named; /openapi.json says what each address takes.",
  };
  return problemAnswer(context, told, { more: { faults } });
}
