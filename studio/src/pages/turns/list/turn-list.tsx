import { useApi } from "../../../api/query-client.ts";
import { encodeName, withQuery } from "../../../api/request.ts";
import { Card, Empty, Loading, Pager, Trouble, useStretch } from "../../../app/page.tsx";
import { placeOf } from "../../../app/place.ts";
import { To } from "../../../billing/links.tsx";
import type { TurnPage } from "../../../billing/listed-turn.ts";
import { useLookingAgain } from "../../../billing/samples.ts";
import { plural } from "../../../kit/words.ts";
import { isNarrow, type TurnFilter } from "../filter/turn-filter.ts";
import type { useFilter } from "../filter/use-filter.ts";
import { SessionPicture } from "./session-picture.tsx";
import { TurnTable } from "./turn-table.tsx";

export const pageSize = 50;

/** The turns that match, as rows; where they are of one session, with its picture above them. */
export function TurnList({
  agent,
  filter,
  query,
}: { readonly agent: string } & Pick<ReturnType<typeof useFilter>, "filter" | "query">) {
  const { from, ...stretch } = useStretch(pageSize);
  const path = withQuery(`/agents/${encodeName(agent)}/turns`, { ...query, ...stretch });
  const { data, error, refetch, isPlaceholderData } = useApi<TurnPage>(path);
  useLookingAgain(data?.turns.some(({ state }) => state === "running") ?? false, refetch);
  if (error && (!data || isPlaceholderData)) return <Trouble problem={error} again={() => void refetch()} />;
  // What was found for older words says nothing about these.
  if (!data || (isPlaceholderData && data.turns.length === 0)) return <Loading />;
  const pager = (
    <Pager
      from={from}
      isBefore={isPlaceholderData}
      shown={data.turns.length}
      size={pageSize}
      more={data.more}
      total={data.total}
      words={filter.sort === undefined ? ["Newer", "Older"] : ["Previous", "Next"]}
    />
  );
  if (data.turns.length === 0)
    return (
      <>
        <NoTurns agent={agent} filter={filter} from={from} />
        {from > 0 && pager}
      </>
    );
  return (
    <>
      {filter.session !== undefined && <SessionPicture agent={agent} query={{ ...query, ...stretch }} />}
      <p role="status" className="mb-2 text-sm text-soft">
        {plural(data.total, "turn")}
        {isNarrow(filter) && (data.total === 1 ? " matches" : " match")}
      </p>
      <Card className={`overflow-hidden p-0! ${isPlaceholderData ? "opacity-60" : ""}`}>
        <TurnTable agent={agent} turns={data.turns} inSession={filter.session !== undefined} />
      </Card>
      {pager}
    </>
  );
}

function NoTurns(props: { readonly agent: string; readonly filter: TurnFilter; readonly from: number }) {
  const { agent, filter, from } = props;
  const { session, user, sort: _, ...others } = filter;
  if (from > 0) return <Empty title="The list ends before this page." />;
  if (isNarrow(others)) return <Empty title="No turns match these filters.">Change a filter, or clear them all.</Empty>;
  if (session !== undefined)
    return (
      <Empty
        title={`There is no session “${session.slice(0, 200)}” with turns${user === undefined ? "" : ` of “${user.slice(0, 200)}”`}.`}
      >
        It may have been erased with its user, or belong to another agent.{" "}
        <To href={placeOf(agent, "turns", undefined, { view: "sessions" })}>See all sessions</To>
      </Empty>
    );
  return (
    <Empty title={user === undefined ? "No turns yet." : `“${user.slice(0, 200)}” has no turns yet.`}>
      <To href={placeOf(agent, "chat", undefined, { user })}>Start a conversation</To>: each turn is listed here as soon
      as it starts.
    </Empty>
  );
}
