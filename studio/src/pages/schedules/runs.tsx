import type { RunListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Loading, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { placeOf, useAsked } from "../../app/place.ts";
import { Button, Field, Select } from "../../kit/field.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { Rendered } from "../../kit/text/rendered.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { plural, timeText } from "../../kit/words.ts";
import type { Schedule } from "./ahead.ts";
import { type Run, stateInk } from "./time-strip.tsx";

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
  const { data, error, isPlaceholderData } = useApi<RunListAnswer>(path);
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
      {error && <Trouble problem={error} />}
      {!data && !error && <Loading />}
      {data?.runs.length === 0 && (
        <p className="text-sm text-soft">No runs{state ? ` with the status “${state}”` : " yet"}.</p>
      )}
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
