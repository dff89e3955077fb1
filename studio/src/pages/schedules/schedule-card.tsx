import type { RunListAnswer } from "charter/answers";
import { useMemo } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Answered, Card, Pager, useStretch } from "../../app/page.tsx";
import { placeOf, saidWith, useAsked } from "../../app/place.ts";
import { cronWords } from "../../kit/cron.ts";
import { Button, Field, Select } from "../../kit/field.tsx";
import { Hint } from "../../kit/hint.tsx";
import { Badge } from "../../kit/icon.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { Rendered } from "../../kit/text/rendered.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { fromNow, plural, timeText } from "../../kit/words.ts";
import { Cancel } from "./cancel.tsx";
import { type Run, stateInk, TimeStrip } from "./time-strip.tsx";
import { type Axis, aheadOf, clockWords, type Schedule, type Span } from "./times.ts";

export function ScheduleCard({
  agent,
  schedule,
  zones,
  axis,
  span,
  runs,
}: {
  readonly agent: string;
  readonly schedule: Schedule;
  readonly zones: readonly string[];
  readonly axis: Axis;
  readonly span: Span;
  readonly runs: readonly Run[];
}) {
  const { title, cron, input, channel, scope } = schedule;
  const known = zones.join("\n");
  const ahead = useMemo(() => aheadOf(schedule, known.split("\n"), axis.end), [schedule, known, axis.end]);
  return (
    <li>
      <Card className="space-y-2.5">
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <div className="min-w-0 flex-1 basis-40">
            <h2 className="font-semibold [overflow-wrap:anywhere]" dir="auto">
              {title}
            </h2>
            <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1 text-sm">
              <span title={cron ?? undefined}>{cron === null ? "once" : cronWords(cron)}</span>
              <Zone schedule={schedule} meant={ahead.zone} />
              <span className="text-soft">
                for{" "}
                {scope.user === undefined ? (
                  "the agent itself"
                ) : (
                  <TextLink href={saidWith(agent, scope.user)} dir="auto">
                    {scope.user}
                  </TextLink>
                )}
              </span>
              {channel !== "scheduled" && <Badge>{channel}</Badge>}
            </p>
          </div>
          <Cancel agent={agent} schedule={schedule} />
        </div>
        <TimeStrip axis={axis} span={span} ahead={ahead} runs={runs} />
        <Times schedule={schedule} now={axis.now} known={ahead.known} zone={ahead.zone} />
        <div className="rounded-md bg-raised px-3 py-1.5 text-sm">
          <LongText text={input} max={400} />
        </div>
        <p className="flex items-center gap-1 text-xs">
          <TextLink href={placeOf(agent, "schedules", undefined, { user: scope.user, schedule: schedule.id })}>
            Its runs
          </TextLink>
          <Hint about={`the runs of ${title}`}>
            {schedule.missed === "once" ? "Missed runs: run once afterwards." : "Missed runs: skipped."}{" "}
            {schedule.overlap === "skip"
              ? "Skipped while the previous run is still going."
              : "Waits for the previous run."}{" "}
            Tried {plural(schedule.maxTries, "time")} at most.
          </Hint>
        </p>
      </Card>
    </li>
  );
}

function Zone({
  schedule: { cron, zone },
  meant,
}: {
  readonly schedule: Schedule;
  readonly meant: string | undefined;
}) {
  if (cron === null) return null;
  if (zone !== null) return <span className="text-soft">{zone}</span>;
  return (
    <span className="text-soft" title="It follows the user’s time zone, also when that changes">
      {meant === undefined ? "in the user’s time zone" : `${meant}, the user’s time zone`}
    </span>
  );
}

function Times({
  schedule: { nextAt, lastAt },
  now,
  known,
  zone,
}: {
  readonly schedule: Schedule;
  readonly now: number;
  readonly known: boolean;
  readonly zone: string | undefined;
}) {
  const late = nextAt !== null && Date.parse(nextAt) < now - 60_000;
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
      {nextAt !== null && (
        <span className={late ? "text-wait" : ""}>
          {late ? "Was due" : "Next"} <strong className="font-medium">{fromNow(Date.parse(nextAt), now)}</strong>,{" "}
          {clockWords(Date.parse(nextAt), zone)}
          {late && ": no process is running schedules"}
        </span>
      )}
      <span className="text-soft">
        {lastAt === null
          ? "never yet"
          : `last ${fromNow(Date.parse(lastAt), now)}, ${clockWords(Date.parse(lastAt), zone)}`}
      </span>
      {!known && (
        <span className="text-soft">later times are not shown: the picture does not support this cron line</span>
      )}
    </p>
  );
}

const size = 25;
const states = Object.keys(stateInk) as readonly Run["state"][];

/** Every time a schedule was due, and what became of it, newest first: of all, or of one (`?schedule=`). */
export function Runs({
  agent,
  user,
  schedules,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly schedules: readonly Schedule[];
}) {
  const [asked, setAsked] = useAsked();
  const one = asked("schedule");
  const state = states.find((known) => known === asked("state"));
  const { from, ...stretch } = useStretch(size);
  const path = withQuery(`/agents/${encodeName(agent)}/runs`, { user, schedule: one, state, ...stretch });
  const answer = useApi<RunListAnswer>(path);
  const { data, isPlaceholderData } = answer;
  const titleOf = (id: string) => schedules.find((schedule) => schedule.id === id)?.title ?? "a deleted schedule";
  return (
    <section className="mt-8" aria-label="Runs">
      <div className="mb-2 flex flex-wrap items-end justify-between gap-3">
        <h2 className="font-semibold text-lg [overflow-wrap:anywhere]">
          Runs
          {one === undefined ? (
            ""
          ) : (
            <>
              {" "}
              of “<bdi>{titleOf(one)}</bdi>”
            </>
          )}
        </h2>
        <div className="flex items-end gap-2">
          {one !== undefined && (
            <Button kind="quiet" onClick={() => setAsked({ schedule: undefined, from: undefined })}>
              Of all schedules
            </Button>
          )}
          <Field label="Status">
            <Select value={state ?? ""} onChange={({ target }) => setAsked({ state: target.value, from: undefined })}>
              <option value="">all</option>
              {states.map((known) => (
                <option key={known}>{known}</option>
              ))}
            </Select>
          </Field>
        </div>
      </div>
      <Answered of={answer}>
        {({ runs }) =>
          runs.length === 0 && (
            <p className="text-sm text-soft">No runs{state ? ` with the status “${state}”` : " yet"}.</p>
          )
        }
      </Answered>
      {data && data.runs.length > 0 && (
        <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
          {data.runs.map((run) => (
            <RunRow key={run.id} agent={agent} run={run} title={titleOf(run.schedule)} />
          ))}
        </ol>
      )}
      {data && <Pager from={from} isBefore={isPlaceholderData} shown={data.runs.length} size={size} more={data.more} />}
    </section>
  );
}

function RunRow({ agent, run, title }: { readonly agent: string; readonly run: Run; readonly title: string }) {
  const { state, dueAt, tries, turn, reason, reply, nextTryAt } = run;
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-2.5 text-sm md:grid-cols-[11rem_7rem_minmax(0,1fr)]">
      <span className="text-soft">{timeText(dueAt)}</span>
      <span
        className={`flex items-baseline gap-1.5 ${stateInk[state] === "text-live" ? "text-live-ink" : stateInk[state]}`}
      >
        <span className={`size-2 shrink-0 rounded-full bg-current ${stateInk[state]}`} />
        {state}
      </span>
      <div className="min-w-0">
        <p className="text-soft text-xs">
          <bdi>{title}</bdi>
          {tries > 1 && ` · ${plural(tries, "try", "tries")}`}
          {nextTryAt !== null && ` · tried again ${timeText(nextTryAt)}`}
          {turn !== null && (
            <>
              {" · "}
              <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>
            </>
          )}
        </p>
        {reason !== null && <LongText text={reason} max={600} className="text-soft" />}
        {reply !== null && <Rendered text={reply} />}
      </div>
    </li>
  );
}
