import { Problem } from "../../prompt/problem.ts";
import type { Run } from "../../store/schedules/schedule-tables.ts";

/** What happens while schedules are run, for logs and metrics. It contains no user's text. */
export type SchedulerEvent =
  | { readonly kind: "planned"; readonly schedules: number }
  | { readonly kind: "run-start"; readonly run: string; readonly agent: string; readonly tries: number }
  | {
      readonly kind: "run-end";
      readonly run: string;
      readonly agent: string;
      readonly tries: number;
      /** `lost`: someone else has it by now. */
      readonly state: Run["state"] | "lost";
      readonly code?: string;
    }
  /** Something failed that is tried again by itself. */
  | { readonly kind: "trouble"; readonly code: string; readonly reason: string };

/** What a Problem says is ours; what another error says may be anyone's words, and is left out. */
export function errorFacts(error: unknown): { readonly code: string; readonly reason: string } {
  if (error instanceof Problem) return { code: error.code, reason: error.message };
  const { code, name } = error as { code?: unknown; name?: unknown };
  return { code: typeof code === "string" ? code : "unexpected", reason: `An unexpected ${String(name)}.` };
}
