import type { AgentAnswer, RunListAnswer, ScheduleListAnswer, UserListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { useAsked, usePlace } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Button, Choices } from "../../kit/field.tsx";
import { useNow } from "../../kit/window.ts";
import { NewSchedule } from "./new-schedule.tsx";
import { Runs, ScheduleCard } from "./schedule-card.tsx";
import { AxisNames, StripLegend } from "./time-strip.tsx";
import { axisAround, type Span } from "./times.ts";

const spanNames: readonly (readonly [Span, string])[] = [
  ["day", "24 hours"],
  ["week", "7 days"],
];
const max = 100;

/** What comes by itself, on a time line with now in its middle; below, what became of what came. */
export default function SchedulesPage() {
  const { agent } = usePlace();
  const [asked, setAsked] = useAsked();
  const user = asked("user");
  const span: Span = asked("span") === "day" ? "day" : "week";
  const path = `/agents/${encodeName(agent)}`;
  const schedules = useApi<ScheduleListAnswer>(withQuery(`${path}/schedules`, { user, limit: max }));
  const runs = useApi<RunListAnswer>(withQuery(`${path}/runs`, { user, limit: 500 }));
  const zones = useZones(agent);
  const axis = axisAround(useNow(), span);
  const { data, error } = schedules;
  return (
    <Page
      title="Schedules"
      hint={`Turns that “${agent}” runs at set times: recurring (cron) or once.`}
      actions={
        <Button kind="primary" onClick={() => setAsked({ new: "schedule" }, { replace: false })}>
          New schedule
        </Button>
      }
    >
      <div className="mb-4 flex flex-wrap items-end gap-3">
        <Choices
          label="Time range shown"
          of={spanNames}
          chosen={span}
          onChoose={(chosen) => setAsked({ span: chosen === "week" ? undefined : chosen })}
        />
        <UserChoice
          agent={agent}
          user={user}
          onUser={(chosen) => setAsked({ user: chosen, from: undefined, schedule: undefined })}
          label="User"
          nobody="everyone"
          className="w-48"
        />
      </div>
      <Trouble problem={error} again={() => void schedules.refetch()} />
      {!data && !error && <Loading />}
      {data?.schedules.length === 0 && (
        <Empty title="No schedules">
          A user asks for a reminder, or you make a schedule: “every weekday at eight, summarise my mail”.
        </Empty>
      )}
      {data && data.schedules.length > 0 && (
        <>
          <StripLegend />
          <div className="px-4">
            <AxisNames axis={axis} span={span} />
          </div>
          <ul className="space-y-3">
            {data.schedules.map((schedule) => (
              <ScheduleCard
                key={schedule.id}
                agent={agent}
                schedule={schedule}
                zones={zones(schedule.scope.user)}
                axis={axis}
                span={span}
                runs={runs.data?.runs.filter((run) => run.schedule === schedule.id) ?? []}
              />
            ))}
          </ul>
          {data.more && (
            <p className="mt-2 text-sm text-soft">Only the next {max} are shown. Choose a user to see others.</p>
          )}
        </>
      )}
      <Runs agent={agent} user={user} schedules={data?.schedules ?? []} />
      <NewSchedule
        key={user ?? ""}
        agent={agent}
        user={user}
        open={asked("new") !== undefined}
        onClose={() => setAsked({ new: undefined })}
      />
    </Page>
  );
}

/** The zones a line without one may be meant in: its user's, its agent's, UTC, the one of whoever looks. */
function useZones(agent: string): (user: string | undefined) => readonly string[] {
  const users = useApi<UserListAnswer>(withQuery("/users", { limit: 1000 })).data?.users;
  const settings = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`).data?.settings;
  return (user) => {
    const theirs = users?.find(({ id }) => id === user)?.zone;
    const its = settings?.zone;
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return [...(theirs ? [theirs] : []), ...(typeof its === "string" ? [its] : []), "UTC", here];
  };
}
