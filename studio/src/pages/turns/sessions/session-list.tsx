import { useApi } from "../../../api/query-client.ts";
import { encodeName, withQuery } from "../../../api/request.ts";
import { Card, Empty, Loading, Pager, Trouble, useStretch } from "../../../app/page.tsx";
import { placeOf } from "../../../app/place.ts";
import { To } from "../../../billing/links.tsx";
import type { SessionPage } from "../../../billing/listed-turn.ts";
import { isNarrow } from "../filter/turn-filter.ts";
import type { useFilter } from "../filter/use-filter.ts";
import { pageSize } from "../list/turn-list.tsx";
import { SessionTable } from "./session-table.tsx";
import { sessionWords } from "./session-words.ts";

/** An agent's sessions as rows, the one used last first. */
export function SessionList({
  agent,
  filter,
  query,
}: { readonly agent: string } & Pick<ReturnType<typeof useFilter>, "filter" | "query">) {
  const { from, ...stretch } = useStretch(pageSize);
  const path = withQuery(`/agents/${encodeName(agent)}/sessions`, { ...query, ...stretch });
  const { data, error, refetch, isPlaceholderData } = useApi<SessionPage>(path);
  if (error && (!data || isPlaceholderData)) return <Trouble problem={error} again={() => void refetch()} />;
  if (!data || (isPlaceholderData && data.sessions.length === 0)) return <Loading />;
  const pager = (
    <Pager
      from={from}
      isBefore={isPlaceholderData}
      shown={data.sessions.length}
      size={pageSize}
      more={data.more}
      total={data.total}
    />
  );
  if (data.sessions.length === 0)
    return (
      <>
        {from > 0 ? (
          <Empty title="The list ends before this page." />
        ) : data.single > 0 ? (
          <Empty title="No sessions of several turns.">{sessionWords(data, isNarrow(filter))}</Empty>
        ) : isNarrow(filter) ? (
          <Empty title="No sessions match these filters.">Change a filter, or clear them all.</Empty>
        ) : (
          <Empty title="No sessions yet.">
            <To href={placeOf(agent, "chat")}>Start a conversation</To>: it is a session, and listed here.
          </Empty>
        )}
        {from > 0 && pager}
      </>
    );
  return (
    <>
      <p role="status" className="mb-2 text-sm text-soft">
        {sessionWords(data, isNarrow(filter))}
      </p>
      <Card className={`overflow-hidden p-0! ${isPlaceholderData ? "opacity-60" : ""}`}>
        <SessionTable agent={agent} sessions={data.sessions} />
      </Card>
      {pager}
    </>
  );
}
