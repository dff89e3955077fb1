import type { RunListAnswer, ScheduleListAnswer } from "charter/answers";
import { Rendered } from "../../kit/text/rendered.tsx";
import { useFacts } from "../api/page-facts.ts";
import { whenText } from "../kit/when.ts";

/** What came lately: the answers, and those that did not come. */
export function RunList({
  runs,
  schedules,
}: {
  readonly runs: RunListAnswer["runs"];
  readonly schedules: ScheduleListAnswer["schedules"];
}) {
  const zone = useFacts().zone ?? undefined;
  const shown = runs.filter(({ state }) => state === "answered" || state === "failed" || state === "missed");
  if (shown.length === 0) return null;
  return (
    <section aria-label="Lately" className="mt-10">
      <h2 className="mb-3 font-semibold">Lately</h2>
      <ul className="space-y-4">
        {shown.map(({ id, schedule, dueAt, state, reply }) => (
          <li key={id}>
            <p className="text-sm text-soft [overflow-wrap:anywhere]">
              <bdi>{schedules.find((one) => one.id === schedule)?.title ?? "A reminder"}</bdi> ·{" "}
              {whenText(dueAt, { zone })}
            </p>
            {reply === null ? (
              <p className="text-sm text-wait">
                {state === "missed" ? "It was missed." : state === "failed" ? "It did not work." : "It was done."}
              </p>
            ) : (
              <Rendered text={reply} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
