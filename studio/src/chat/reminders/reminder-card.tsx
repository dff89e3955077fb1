import type { ScheduleListAnswer } from "charter/answers";
import { useState } from "react";
import { cronWords } from "../../kit/cron.ts";
import { Button } from "../../kit/field.tsx";
import { useAct } from "../api/act.ts";
import { useFacts } from "../api/page-facts.ts";
import { agentPath, remove } from "../api/request.ts";
import { Trouble } from "../kit/trouble.tsx";
import { whenText } from "../kit/when.ts";

type Schedule = ScheduleListAnswer["schedules"][number];

export function ReminderCard({ of }: { readonly of: Schedule }) {
  const { agent, zone } = useFacts();
  const { busy, problem, run } = useAct();
  const [asking, setAsking] = useState(false);
  const cancel = () => run(() => remove(agentPath(agent.name, "schedules", of.id)));
  return (
    <article className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-xl border border-line bg-card p-4">
      <div className="min-w-0 flex-[1_1_12rem]">
        <p dir="auto" className="font-medium [overflow-wrap:anywhere]">
          {of.title}
        </p>
        <p className="text-sm text-soft">
          {of.nextAt === null ? "No next time" : `Next: ${whenText(of.nextAt, { zone: of.zone ?? zone ?? undefined })}`}
          {of.cron !== null && ` · ${cronWords(of.cron)}`}
        </p>
      </div>
      {asking ? (
        <span className="flex flex-wrap items-center gap-2 text-sm">
          Cancel this reminder?
          <Button kind="danger" disabled={busy} autoFocus onClick={cancel}>
            Cancel it
          </Button>
          <Button onClick={() => setAsking(false)}>Keep it</Button>
        </span>
      ) : (
        <Button kind="quiet" onClick={() => setAsking(true)}>
          Cancel
        </Button>
      )}
      {problem && <Trouble problem={problem} />}
    </article>
  );
}
