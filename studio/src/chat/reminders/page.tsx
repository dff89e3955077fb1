import type { RunListAnswer, ScheduleListAnswer } from "charter/answers";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { useFacts } from "../api/page-facts.ts";
import { refresh, useRead } from "../api/read.ts";
import { agentPath } from "../api/request.ts";
import { addressOf } from "../app/place.ts";
import { Empty, Loading, Page } from "../kit/page.tsx";
import { Trouble } from "../kit/trouble.tsx";
import { NewReminder } from "./new-reminder.tsx";
import { ReminderCard } from "./reminder-card.tsx";
import { RunList } from "./run-list.tsx";

/** What comes by itself for this user, and what came. */
export function RemindersPage() {
  const { agent, telegram } = useFacts();
  const { data, problem } = useRead<ScheduleListAnswer>(`${agentPath(agent.name, "schedules")}?limit=200`);
  const runs = useRead<RunListAnswer>(`${agentPath(agent.name, "runs")}?limit=20`);
  const [adding, setAdding] = useState(false);
  const next = (data?.schedules ?? []).filter(({ endedAt }) => endedAt === null);
  return (
    <Page title="Reminders" about="The assistant writes to you by itself at these times.">
      <div className="mb-6 space-y-3">
        {adding ? (
          <NewReminder onDone={() => setAdding(false)} />
        ) : (
          <Button onClick={() => setAdding(true)}>
            <Icon of={Plus} className="size-4" /> Add a reminder
          </Button>
        )}
        {telegram.linked === 0 && (
          <p className="text-sm text-soft">
            Reminders are shown on this page.{" "}
            {telegram.possible && (
              <>
                To get them in Telegram as well,{" "}
                <a href={addressOf.page("telegram")} className="text-accent underline">
                  link a chat
                </a>
                .
              </>
            )}
          </p>
        )}
      </div>
      {problem && <Trouble problem={problem} again={refresh} />}
      {!data && !problem && <Loading />}
      {data && next.length === 0 && !adding && (
        <Empty title="No reminders">Add one here, or tell the assistant when to remind you of what.</Empty>
      )}
      <ul aria-label="Reminders" className="space-y-2">
        {next.map((one) => (
          <li key={one.id}>
            <ReminderCard of={one} />
          </li>
        ))}
      </ul>
      <RunList runs={runs.data?.runs ?? []} schedules={data?.schedules ?? []} />
    </Page>
  );
}
