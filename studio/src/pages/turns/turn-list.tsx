import { useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Card, Empty, Loading, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { placeOf, useAsked } from "../../app/place.ts";
import { ToUser } from "../../billing/links.tsx";
import {
  costText,
  EventBadges,
  failedText,
  type ListedTurn,
  opening,
  type TurnPage,
  TurnState,
  tokensSentence,
  tokensText,
  tookText,
} from "../../billing/listed-turn.tsx";
import { useLookingAgain } from "../../billing/sample.ts";
import { cell, figure, head, RowLink, SortHead, useRowWalk } from "../../kit/table.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { useWide } from "../../kit/window.ts";
import { plural, shortTime, timeText } from "../../kit/words.ts";
import type { Filtered } from "./filter-bar.tsx";
import { isNarrow, type TurnFilter } from "./turn-filter.ts";

export const pageSize = 50;

/** The turns that match, as rows. */
export function TurnList({ agent, filter, query }: { readonly agent: string } & Filtered) {
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
      <p role="status" className="mb-2 text-sm text-soft">
        {plural(data.total, "turn")}
        {isNarrow(filter) && (data.total === 1 ? " matches" : " match")}
      </p>
      <Card className={`@container overflow-hidden p-0! ${isPlaceholderData ? "opacity-60" : ""}`}>
        <TurnTable {...{ agent, sort: filter.sort }} turns={data.turns} inSession={filter.session !== undefined} />
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
        <TextLink href={placeOf(agent, "turns", undefined, { by: "session" })}>See all sessions</TextLink>
      </Empty>
    );
  return (
    <Empty title={user === undefined ? "No turns yet." : `“${user.slice(0, 200)}” has no turns yet.`}>
      <TextLink href={placeOf(agent, "chat", undefined, { user })}>Start a conversation</TextLink>: each turn is listed
      here as soon as it starts.
    </Empty>
  );
}

type TableProps = {
  readonly agent: string;
  readonly turns: readonly ListedTurn[];
  readonly inSession: boolean;
  readonly sort: TurnFilter["sort"];
};
type RowProps = {
  readonly agent: string;
  readonly turn: ListedTurn;
  /** All of them are of one session: it need not be named in each. */
  readonly inSession: boolean;
  readonly inTabOrder: boolean;
  readonly onFocus: () => void;
};

/** Turns to be read, a row each; on a telephone as a list. The arrow keys go from row to row, Enter opens one. */
function TurnTable({ agent, turns, inSession, sort }: TableProps) {
  const wide = useWide(640);
  const walk = useRowWalk<HTMLDivElement>(turns.map(({ id }) => id));
  const Shown = wide ? Row : Entry;
  const rows = turns.map((turn) => (
    <Shown
      key={turn.id}
      agent={agent}
      turn={turn}
      inSession={inSession}
      inTabOrder={walk.at === turn.id}
      onFocus={() => walk.arrived(turn.id)}
    />
  ));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links inside.
    <div ref={walk.around} onKeyDown={walk.pressed}>
      {wide ? (
        <table className="w-full text-sm">
          <caption className="sr-only">Turns</caption>
          <Head sort={sort} />
          <tbody>{rows}</tbody>
        </table>
      ) : (
        <ul className="divide-y divide-line text-sm" aria-label="Turns">
          {rows}
        </ul>
      )}
    </div>
  );
}

/** What pressing a head asks for; anything else is the newest first. */
const sortsOfHeads: Readonly<Record<string, TurnFilter["sort"]>> = {
  Time: "oldest",
  "-Cost": "cost",
  "-Duration": "duration",
};

function Head({ sort }: Pick<TableProps, "sort">) {
  const [, setAsked] = useAsked();
  const by = Object.entries(sortsOfHeads).find(([, one]) => sort !== undefined && one === sort)?.[0] ?? "-Time";
  const sorting = {
    figures: true,
    sort: { by: by.replace("-", ""), down: by.startsWith("-") },
    onSort: (next: string) => setAsked({ sort: sortsOfHeads[next], from: undefined }, { replace: false }),
  };
  const plain = (name: string, className = "") => (
    <th scope="col" className={`${head} ${className}`}>
      {name}
    </th>
  );
  return (
    <thead>
      <tr className="border-line border-b">
        <SortHead column="Time" {...sorting} className="text-left!" />
        {plain("User, channel")}
        {plain("Input and reply")}
        {plain("Model", "hidden @4xl:table-cell")}
        {plain("State, events")}
        {plain("Tokens", "hidden text-right @2xl:table-cell")}
        <SortHead column="Cost" {...sorting} />
        <SortHead column="Duration" {...sorting} className="hidden @3xl:table-cell" />
      </tr>
    </thead>
  );
}

function Row({ agent, turn, inSession, inTabOrder, onFocus }: RowProps) {
  const [, go] = useLocation();
  const { id, startedAt, endedAt, scope, channel, session, state, model, events, usage } = turn;
  const here = placeOf(agent, "turns", id);
  return (
    <tr
      className="cursor-pointer border-line/60 border-b last:border-0 focus-within:bg-raised hover:bg-raised"
      onClick={({ target }) => {
        if (!(target as Element).closest("a") && getSelection()?.isCollapsed !== false) go(here);
      }}
    >
      <td className={`${cell} whitespace-nowrap tabular-nums`}>
        <RowLink href={here} id={id} inTabOrder={inTabOrder} onFocus={onFocus} title={timeText(startedAt)}>
          {shortTime(startedAt)}
        </RowLink>
      </td>
      <td className={`${cell} max-w-36`}>
        <span className="block truncate">
          <ToUser agent={agent} user={scope.user} inTabOrder={inTabOrder} />
        </span>
        <span className="block truncate text-soft text-xs">
          {channel ?? "no channel"}
          {!inSession && session !== null && (
            <>
              {" · "}
              <TextLink href={placeOf(agent, "turns", undefined, { session })} inTabOrder={inTabOrder}>
                session
              </TextLink>
            </>
          )}
        </span>
      </td>
      <td className={`${cell} w-full max-w-0`}>
        <Said turn={turn} />
      </td>
      <td className={`${cell} hidden max-w-28 truncate text-soft @4xl:table-cell`} title={model ?? undefined}>
        {model ?? "–"}
      </td>
      <td className={cell}>
        <span className="flex w-38 flex-wrap gap-1">
          <TurnState state={state} />
          <EventBadges events={events} />
        </span>
      </td>
      <td className={`${figure} hidden @2xl:table-cell`} title={tokensSentence(usage)}>
        <Tokens turn={turn} />
      </td>
      <td className={figure}>{costText(turn)}</td>
      <td className={`${figure} hidden @3xl:table-cell`}>{endedAt === null ? "–" : tookText(startedAt, endedAt)}</td>
    </tr>
  );
}

function Entry({ agent, turn, inSession, inTabOrder, onFocus }: RowProps) {
  const { id, startedAt, endedAt, scope, channel, session, state, model, events, usage } = turn;
  const tokens = tokensText(usage);
  return (
    <li className="space-y-0.5 px-4 py-2">
      <p className="flex flex-wrap items-center gap-1">
        <RowLink
          href={placeOf(agent, "turns", id)}
          id={id}
          inTabOrder={inTabOrder}
          onFocus={onFocus}
          title={timeText(startedAt)}
        >
          {shortTime(startedAt)}
        </RowLink>
        <span className="ml-auto flex flex-wrap gap-1">
          <EventBadges events={events} />
          <TurnState state={state} />
        </span>
      </p>
      <Said turn={turn} />
      <p className="flex flex-wrap gap-x-3 text-soft text-xs tabular-nums [overflow-wrap:anywhere]">
        <ToUser agent={agent} user={scope.user} inTabOrder={inTabOrder} />
        <span>{channel ?? "no channel"}</span>
        {!inSession && session !== null && (
          <TextLink href={placeOf(agent, "turns", undefined, { session })} inTabOrder={inTabOrder}>
            session
          </TextLink>
        )}
        {model !== null && <span>{model}</span>}
        {tokens && (
          <span>
            {tokens.input} tokens in, {tokens.output} out
          </span>
        )}
        <span>{costText(turn)}</span>
        {endedAt !== null && <span>{tookText(startedAt, endedAt)}</span>}
      </p>
    </li>
  );
}

function Said({ turn }: { readonly turn: ListedTurn }) {
  const { input, reply, state } = turn;
  const failed = failedText(turn);
  return (
    <>
      <span dir="auto" className="block truncate">
        {input === "" ? (
          <span className="text-soft">{state === "erased" ? "erased" : "no input"}</span>
        ) : (
          opening(input)
        )}
      </span>
      {failed === undefined ? (
        <span dir="auto" className="block truncate text-soft">
          {reply === null || reply === "" ? "" : opening(reply)}
        </span>
      ) : (
        <span dir="auto" className="block truncate text-bad" title={failed}>
          {opening(failed)}
        </span>
      )}
    </>
  );
}

function Tokens({ turn }: { readonly turn: ListedTurn }) {
  const tokens = tokensText(turn.usage);
  if (!tokens) return turn.state === "answered" ? "unknown" : "–";
  return (
    <>
      <span className="block">{tokens.input} in</span>
      <span className="block text-soft">{tokens.output} out</span>
    </>
  );
}
