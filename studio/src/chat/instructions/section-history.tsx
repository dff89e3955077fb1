import type { HistoryAnswer } from "charter/answers";
import { useState } from "react";
import { Button } from "../../kit/field.tsx";
import { useAct } from "../api/act.ts";
import { useFacts } from "../api/page-facts.ts";
import { useRead } from "../api/read.ts";
import { agentPath, sendJson } from "../api/request.ts";
import { Diff } from "../kit/diff.tsx";
import { Trouble } from "../kit/trouble.tsx";
import { whenText } from "../kit/when.ts";
import type { Section } from "./section-card.tsx";

type Amendment = HistoryAnswer["amendments"][number];

const stretch = 10;

/** Every change of a text, the newest first, each with what it changed; any of them can be gone back to. */
export function SectionHistory({
  section,
  onTold,
}: {
  readonly section: Section;
  readonly onTold: (words: string) => void;
}) {
  const { agent } = useFacts();
  const [limit, setLimit] = useState(stretch);
  const path = agentPath(agent.name, "sections", section.name);
  const { data } = useRead<HistoryAnswer>(`${path}/history?limit=${limit}`);
  const { busy, problem, run } = useAct();
  if (!data || data.amendments.length === 0) return null;
  const can = section.amendableBy.includes("user");
  const goBack = async (to: number, told: string) => {
    const done = await run(() => sendJson(`${path}/revert`, { to, revision: section.revision ?? 0 }));
    if (done) onTold(told);
  };
  const [newest] = data.amendments;
  return (
    <section aria-label="Changes">
      <h2 className="mb-3 font-semibold">Changes</h2>
      {problem && <Trouble problem={problem} />}
      <ol className="space-y-4">
        {data.amendments.map((one) => (
          <li key={one.revision} className="space-y-2">
            <div className="flex items-baseline justify-between gap-x-4">
              <p className="text-sm">
                {whoWords(one)} <span className="text-soft">· {whenText(one.at)}</span>
              </p>
              {can && one.after !== null && (
                <Button
                  kind="quiet"
                  className="-my-1 -me-3 shrink-0"
                  disabled={busy}
                  onClick={() =>
                    one === newest
                      ? goBack(one.revision - 1, "The change was undone.")
                      : goBack(one.revision, `Back to the text of ${whenText(one.at)}.`)
                  }
                >
                  {one === newest ? "Undo" : "Go back to this"}
                </Button>
              )}
            </div>
            {one.before === null || one.after === null ? (
              <p className="text-sm text-soft">The text was deleted.</p>
            ) : (
              <Diff before={one.before} after={one.after} max={12} />
            )}
          </li>
        ))}
      </ol>
      {data.more && limit < 100 && (
        <Button kind="quiet" className="mt-3" onClick={() => setLimit(Math.min(100, limit + 3 * stretch))}>
          Show earlier changes
        </Button>
      )}
    </section>
  );
}

const who = { user: "You", agent: "The assistant", operator: "Whoever runs the assistant" } as const;

function whoWords({ actor, operation }: Amendment): string {
  const back = operation === "revert" || operation === "reset";
  return back ? `${who[actor]} went back to an earlier text` : who[actor];
}
