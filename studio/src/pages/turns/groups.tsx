import type { UseQueryResult } from "@tanstack/react-query";
import type { AgentAnswer, CounterpartListAnswer } from "charter/answers";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { useApi } from "../../api/query-client.ts";
import { type ApiProblem, encodeName, withQuery } from "../../api/request.ts";
import { onEscape } from "../../app/form-dialog.tsx";
import { Empty, Loading, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { housePlaceOf, placeOf, useAsked } from "../../app/place.ts";
import { opening, type SessionPage, tokensSentence, tokensText, type Usage } from "../../billing/listed-turn.tsx";
import { Badge, Icon } from "../../kit/icon.tsx";
import { rowMark, useRowWalk } from "../../kit/table.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, dollars, isCounterpart, plural, shortTime, shownName, timeText } from "../../kit/words.ts";
import type { Filtered } from "./filter-bar.tsx";
import { SaidInTurns, SaidWithSender } from "./said.tsx";
import { isNarrow } from "./turn-filter.ts";

const size = 50;

type ListProps = { readonly agent: string } & Filtered;

/** An agent's sessions, each with what its turns come to. */
export function Sessions({ agent, filter, query }: ListProps) {
  const { from, ...stretch } = useStretch(size);
  const answer = useApi<SessionPage>(withQuery(`/agents/${encodeName(agent)}/sessions`, { ...query, ...stretch }));
  const { data } = answer;
  const groups = data?.sessions.map(
    ({ id, scope, channel, lastAt, turns, failed, models, firstInput, usage, cost }): Group => ({
      ...{ id, lastAt, turns, failed: failed ?? 0, messages: 0, usage, cost },
      who: scope.user,
      channels: channel === null ? [] : [channel],
      says: firstInput,
      about: models.join(", "),
    }),
  );
  return (
    <Groups
      {...{ answer, from, groups }}
      more={data?.more ?? false}
      total={data?.total ?? 0}
      words={data ? sessionWords(data, isNarrow(filter)) : ""}
      none={
        (data?.single ?? 0) > 0 ? (
          <Empty title="No sessions of several turns.">{data && sessionWords(data, isNarrow(filter))}</Empty>
        ) : isNarrow(filter) ? (
          <Empty title="No sessions match these filters.">Change a filter, or clear them all.</Empty>
        ) : (
          <Empty title="No sessions yet.">
            <TextLink href={placeOf(agent, "chat")}>Start a conversation</TextLink>: it is a session, and listed here.
          </Empty>
        )
      }
      inside={({ id, who }) => (
        <>
          <Ways>
            <TextLink href={placeOf(agent, "turns", undefined, { session: id })}>Its turns as rows</TextLink>
            <TextLink href={placeOf(agent, "prompt", undefined, { user: who, session: id })}>Its prompt</TextLink>
            {who !== undefined && (
              <TextLink href={placeOf(agent, "chat", undefined, { user: who, session: id })}>
                Go on with it in Chat
              </TextLink>
            )}
          </Ways>
          <SaidInTurns agent={agent} of={{ session: id }} />
        </>
      )}
    />
  );
}

/** How many sessions there are: those of one turn only are counted as well, and it is said that they are not listed. */
export function sessionWords({ total, single }: Pick<SessionPage, "total" | "single">, isNarrow: boolean): string {
  const all = total + single;
  const found = `${plural(all, "session")}${isNarrow ? (all === 1 ? " matches" : " match") : ""}`;
  return single === 0 ? found : `${found}. ${singleWords(single)}`;
}

function singleWords(single: number): string {
  const not = single === 1 ? "has one turn only and is not listed here" : "have one turn only and are not listed here";
  return `${count(single)} of them ${not}; see them turn by turn.`;
}

/** Everyone an agent has spoken with, users and senders of messages, each with what their turns come to. */
export function People({ agent, filter, query }: ListProps) {
  const { from, ...stretch } = useStretch(size);
  const path = withQuery(`/agents/${encodeName(agent)}/counterparts`, { ...query, ...stretch });
  const answer = useApi<CounterpartListAnswer>(path);
  const { data } = answer;
  const groups = data?.counterparts.map(
    ({ user, lastInput, ...one }): Group => ({ ...one, id: user, who: user, says: lastInput, about: "" }),
  );
  const { sort: _, user: __, ...own } = query;
  return (
    <Groups
      {...{ answer, from, groups }}
      more={data?.more ?? false}
      total={data?.total ?? 0}
      words={data ? plural(data.total, "person or sender", "people and senders") : ""}
      none={
        isNarrow(filter) ? (
          <Empty title="Nobody matches these filters.">Change a filter, or clear them all.</Empty>
        ) : (
          <Empty title="No conversations yet.">
            <Unspoken agent={agent} />
          </Empty>
        )
      }
      inside={({ id }) => (
        <>
          <Ways>
            <TextLink href={placeOf(agent, "turns", undefined, { user: id })}>Turns as rows</TextLink>
            <TextLink href={placeOf(agent, "memory", undefined, { user: id })}>Notes</TextLink>
            {!isCounterpart(id) && (
              <>
                <TextLink href={housePlaceOf("people", id, { agent })}>Everything of theirs</TextLink>
                <TextLink href={placeOf(agent, "prompt", undefined, { user: id })}>Prompt</TextLink>
                <TextLink href={placeOf(agent, "sections", undefined, { user: id })}>Sections</TextLink>
              </>
            )}
          </Ways>
          {isCounterpart(id) ? (
            <SaidWithSender agent={agent} sender={id} of={own} />
          ) : (
            <SaidInTurns agent={agent} of={{ ...own, user: id }} />
          )}
        </>
      )}
    />
  );
}

function Unspoken({ agent }: { readonly agent: string }) {
  const isServed = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`).data?.served !== false;
  return (
    <TextLink href={placeOf(agent, "chat")}>
      {isServed ? "Start one in Chat" : "It is talked to at a terminal: see how"}
    </TextLink>
  );
}

/** Turns that belong together, and what they come to. */
type Group = {
  readonly id: string;
  readonly who: string | undefined;
  readonly channels: readonly string[];
  readonly says: string | null;
  readonly about: string;
  readonly lastAt: string;
  readonly turns: number;
  readonly failed: number;
  readonly messages: number;
  readonly usage: Usage;
  readonly cost: number | null;
};

type GroupsProps = {
  readonly answer: Pick<UseQueryResult<unknown, ApiProblem>, "error" | "refetch" | "isPlaceholderData">;
  readonly from: number;
  readonly groups: readonly Group[] | undefined;
  readonly more: boolean;
  readonly total: number;
  /** How many there are, in words. */
  readonly words: string;
  readonly none: ReactNode;
  /** What a group holds, once it is open. */
  readonly inside: (group: Group) => ReactNode;
};

/** Groups as rows; the one that the address names is open in place. The arrow keys go from row to row, Enter opens one. */
function Groups(props: GroupsProps) {
  const { answer, from, groups, more, total, words, none, inside } = props;
  const { error, refetch, isPlaceholderData } = answer;
  const [asked, setAsked] = useAsked();
  const walk = useRowWalk<HTMLUListElement>(groups?.map(({ id }) => id) ?? []);
  if (error && (!groups || isPlaceholderData)) return <Trouble problem={error} again={() => void refetch()} />;
  if (!groups || (isPlaceholderData && groups.length === 0)) return <Loading />;
  const open = asked("open");
  return (
    <>
      {groups.length === 0 && (from > 0 ? <Empty title="The list ends before this page." /> : none)}
      {groups.length > 0 && (
        <>
          <p role="status" className="mb-2 text-sm text-soft">
            {words}
          </p>
          <ul
            ref={walk.around}
            aria-label="Groups"
            onKeyDown={walk.pressed}
            className={`divide-y divide-line rounded-lg border border-line bg-card ${isPlaceholderData ? "opacity-60" : ""}`}
          >
            {groups.map((group) => (
              <li
                key={group.id}
                onKeyDown={
                  group.id === open ? onEscape(() => setAsked({ open: undefined }, { replace: false })) : undefined
                }
              >
                <GroupRow
                  group={group}
                  isOpen={group.id === open}
                  inTabOrder={walk.at === group.id}
                  onFocus={() => walk.arrived(group.id)}
                  onOpen={(next) => setAsked({ open: next ? group.id : undefined }, { replace: false })}
                />
                {group.id === open && (
                  // biome-ignore lint/a11y/noStaticElementInteractions: the keys of what is open do not move between rows.
                  <div
                    className="space-y-4 border-line border-t bg-paper px-4 py-4 sm:px-8"
                    onKeyDown={(event) => event.key !== "Escape" && event.stopPropagation()}
                  >
                    {inside(group)}
                  </div>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <Pager
        {...{ from, size, more, total }}
        isBefore={isPlaceholderData}
        shown={groups.length}
        words={["Previous", "Next"]}
      />
    </>
  );
}

type RowProps = {
  readonly group: Group;
  readonly isOpen: boolean;
  readonly inTabOrder: boolean;
  readonly onFocus: () => void;
  readonly onOpen: (open: boolean) => void;
};

function GroupRow({ group, isOpen, inTabOrder, onFocus, onOpen }: RowProps) {
  const { id, who, channels, says, about, lastAt, turns, failed, messages, usage, cost } = group;
  const tokens = tokensText(usage);
  return (
    <button
      type="button"
      {...{ [rowMark]: id }}
      tabIndex={inTabOrder ? 0 : -1}
      aria-expanded={isOpen}
      onFocus={onFocus}
      onClick={() => onOpen(!isOpen)}
      className={`grid w-full gap-x-4 gap-y-0.5 px-4 py-2 text-left text-sm hover:bg-raised lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_6rem_11rem_5rem_6.5rem] lg:items-baseline ${isOpen ? "bg-raised" : ""}`}
    >
      <span className="flex min-w-0 gap-x-2">
        <Icon of={ChevronRight} className={`mt-0.5 size-4 text-soft ${isOpen ? "rotate-90" : ""}`} />
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="font-medium [overflow-wrap:anywhere]" dir="auto">
            {who === undefined ? <span className="font-normal text-soft">no user</span> : shownName(who)}
          </span>
          {channels.map((channel) => (
            <Badge key={channel}>{channel}</Badge>
          ))}
          {failed > 0 && <Badge tone="bad">{count(failed)} failed</Badge>}
        </span>
      </span>
      <span className="min-w-0 truncate text-soft max-lg:ps-4" dir="auto" title={about || undefined}>
        {opening(says ?? "")}
      </span>
      <span className="flex flex-wrap gap-x-3 text-soft text-xs tabular-nums max-lg:ps-4 lg:contents">
        <span className="lg:text-right lg:text-ink lg:text-sm">
          {turns > 0 && plural(turns, "turn")}
          {messages > 0 && <span className="block">{plural(messages, "message")}</span>}
        </span>
        <span className="lg:text-right" title={tokensSentence(usage)}>
          {tokens && `${tokens.input} tokens in, ${tokens.output} out`}
        </span>
        <span className="lg:text-right lg:text-ink lg:text-sm">
          {cost !== null ? dollars(cost) : turns > 0 ? "unknown" : "–"}
        </span>
        <time dateTime={lastAt} title={timeText(lastAt)} className="lg:text-right">
          {shortTime(lastAt)}
        </time>
      </span>
    </button>
  );
}

function Ways({ children }: { readonly children: ReactNode }) {
  return <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm">{children}</p>;
}
