import { nothingToReportName } from "../../agent/tools/reminders.ts";
import type { Store } from "../../store/store.ts";

/**
 * Whether a turn said that there is nothing to report, and why. It is read from what is kept of the turn, so it is the
 * same for whoever finds the turn after a crash.
 */
export async function nothingReported(
  store: Store,
  turn: string,
): Promise<{ readonly because: string | null } | undefined> {
  for (const { result } of await store.steps.of(turn)) {
    const { answer, results = [] } = result ?? {};
    const said = results.find(({ name, failed }) => name === nothingToReportName && !failed);
    if (said) return { because: reasonIn(answer?.calls.find(({ id }) => id === said.call)?.input) };
  }
  return undefined;
}

function reasonIn(input = "{}"): string | null {
  try {
    const { because } = JSON.parse(input);
    return typeof because === "string" ? because : null;
  } catch {
    return null;
  }
}
