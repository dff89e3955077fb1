import { useMemo, useState } from "react";
import { encodeName, request, withQuery } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Card, Trouble } from "../../app/page.tsx";
import { placeOf, saidWith } from "../../app/place.ts";
import { cronWords } from "../../kit/cron.ts";
import { Button } from "../../kit/field.tsx";
import { Badge } from "../../kit/icon.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { fromNow, plural } from "../../kit/words.ts";
import { aheadOf, type Schedule } from "./ahead.ts";
import { clockWords } from "./clock-words.ts";
import type { Axis, Span } from "./time-axis.ts";
import { type Run, TimeStrip } from "./time-strip.tsx";

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
        <p className="text-soft text-xs">
          {schedule.missed === "once" ? "Missed runs: run once afterwards" : "Missed runs: skipped"} ·{" "}
          {schedule.overlap === "skip" ? "skipped while the previous run is still going" : "waits for the previous run"}{" "}
          · tried {plural(schedule.maxTries, "time")} at most ·{" "}
          <TextLink href={placeOf(agent, "schedules", undefined, { user: scope.user, schedule: schedule.id })}>
            its runs
          </TextLink>
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

/** What runs is not stopped; that is said before it is asked. */
function Cancel({ agent, schedule }: { readonly agent: string; readonly schedule: Schedule }) {
  const { id, title, scope } = schedule;
  const [sure, setSure] = useState(false);
  const { busy, problem, run } = useAct();
  const cancel = () =>
    run(() =>
      request(withQuery(`/agents/${encodeName(agent)}/schedules/${encodeName(id)}`, { user: scope.user }), {
        method: "DELETE",
      }),
    );
  if (!sure)
    return (
      <Button kind="quiet" aria-label={`Cancel ${title}`} onClick={() => setSure(true)}>
        Cancel
      </Button>
    );
  return (
    <div className="basis-full text-sm">
      <div className="flex flex-wrap items-center justify-end gap-2">
        <span>Cancel this schedule? A running turn will finish.</span>
        <Button kind="danger" disabled={busy} onClick={cancel}>
          Cancel it
        </Button>
        <Button kind="quiet" autoFocus onClick={() => setSure(false)}>
          Keep it
        </Button>
      </div>
      {problem && <Trouble problem={problem} />}
    </div>
  );
}
