import type { RunListAnswer, ScheduleListAnswer } from "charter/answers";
import { Plus } from "lucide-react";
import { useState } from "react";
import { cronWords } from "../../kit/cron.ts";
import { Button, Field, Input, Select } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Rendered } from "../../kit/text/rendered.tsx";
import { refresh, useFacts, useRead } from "../api/read.ts";
import { agentPath, remove, sendJson, useAct } from "../api/request.ts";
import { addressOf } from "../app/place.ts";
import { deviceZone, Empty, Loading, Page, Trouble, whenText } from "../kit/page.tsx";

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
      <Trouble problem={problem} again={refresh} />
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

const longestTitle = 80;

/** A reminder of one's own: of what, when, how often. Times are those of one's own zone. */
function NewReminder({ onDone }: { readonly onDone: () => void }) {
  const { agent, zone } = useFacts();
  const { busy, problem, run } = useAct();
  const [text, setText] = useState("");
  const [at, setAt] = useState(usualTime);
  const [repeat, setRepeat] = useState<Repeat>("once");
  const save = async () => {
    const cron = cronOf(repeat, at);
    // Read by the clock of the user's zone, and where none is set by this device's.
    const when = { ...(cron === undefined ? { at } : { cron }), ...(zone === null ? { zone: deviceZone() } : {}) };
    const words = text.trim();
    const letters = [...words];
    const title = letters.length > longestTitle ? `${letters.slice(0, longestTitle - 1).join("")}…` : words;
    const input = `A reminder the user asked for is due now. Deliver it to them in one short message.\n\n${words}`;
    if (await run(() => sendJson(agentPath(agent.name, "schedules"), { title, input, ...when }))) onDone();
  };
  return (
    <form
      aria-label="New reminder"
      className="space-y-3 rounded-xl border border-line bg-card p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label="Remind me of">
        <Input autoFocus value={text} maxLength={2000} dir="auto" onChange={({ target }) => setText(target.value)} />
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={repeat === "once" ? "When" : "From"}>
          <Input type="datetime-local" value={at} required onChange={({ target }) => setAt(target.value)} />
        </Field>
        <Field label="How often">
          <Select value={repeat} onChange={({ target }) => setRepeat(target.value as Repeat)}>
            {repeats.map((one) => (
              <option key={one} value={one}>
                {repeatWords[one]}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <Trouble problem={problem} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" disabled={busy || text.trim() === "" || at === ""}>
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}

type Schedule = ScheduleListAnswer["schedules"][number];

function ReminderCard({ of }: { readonly of: Schedule }) {
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
      <Trouble problem={problem} />
    </article>
  );
}

type RunListProps = { readonly runs: RunListAnswer["runs"]; readonly schedules: ScheduleListAnswer["schedules"] };

/** What came lately: the answers, and those that did not come. */
export function RunList({ runs, schedules }: RunListProps) {
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

/** How often a reminder comes. */
export const repeats = ["once", "daily", "weekdays", "weekly", "monthly"] as const;
export type Repeat = (typeof repeats)[number];

const repeatWords: Readonly<Record<Repeat, string>> = {
  once: "Once",
  daily: "Every day",
  weekdays: "Monday to Friday",
  weekly: "Every week",
  monthly: "Every month",
};

/** The first time and how often, as a cron line; nothing where it comes once. `at` is as a date field has it. */
export function cronOf(repeat: Repeat, at: string): string | undefined {
  const [, month, day, hour, minute] = /^\d+-(\d+)-(\d+)T(\d+):(\d+)/.exec(at)?.map(Number) ?? [];
  if (repeat === "once" || month === undefined) return undefined;
  const time = `${minute} ${hour}`;
  if (repeat === "daily") return `${time} * * *`;
  if (repeat === "weekdays") return `${time} * * 1-5`;
  if (repeat === "monthly") return `${time} ${day} * *`;
  return `${time} * * ${new Date(at).getDay()}`;
}

/** A time as a date field takes it, by this device's clock. */
export function localField(at: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Tomorrow at nine. */
export function usualTime(now = new Date()): string {
  const at = new Date(now);
  at.setDate(at.getDate() + 1);
  at.setHours(9, 0, 0, 0);
  return localField(at);
}
