import type { AgentUsersAnswer, ConversationListAnswer, TurnListAnswer } from "charter/answers";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { Pager, useStretch } from "../../app/pager.tsx";
import { placeOf } from "../../app/place.ts";
import { Badge } from "../../kit/badge.tsx";
import { shownName } from "../../kit/counterpart.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { count, plural, timeText } from "../../kit/words.ts";
import { type Counterpart, counterpartsOf } from "./counterparts.ts";

const latest = 200;
const size = 100;

export function Counterparts({ agent }: { readonly agent: string }) {
  const path = `/agents/${encodeName(agent)}`;
  const { from, ...stretch } = useStretch(size);
  const turns = useApi<TurnListAnswer>(withQuery(`${path}/turns`, { limit: latest }));
  const letters = useApi<ConversationListAnswer>(withQuery(`${path}/conversations`, { limit: 1000 }));
  const users = useApi<AgentUsersAnswer>(withQuery(`${path}/users`, stretch));
  const found = turns.data && letters.data && counterpartsOf(turns.data.turns, letters.data.conversations);
  const problem = turns.error ?? letters.error;
  const others = users.data?.users.filter((user) => !found?.some((one) => one.key === user)) ?? [];
  const nobody = found?.length === 0 && others.length === 0;
  return (
    <Page
      title="Conversations"
      about={`With whom “${agent}” has spoken: users in turns, wherever they were, and those who wrote letters.`}
    >
      {problem && <Trouble problem={problem} />}
      {!found && !problem && <Loading />}
      {nobody && (
        <Empty title="It has spoken with nobody yet">
          <TextLink href={placeOf(agent, "chat")}>Be the first</TextLink>
        </Empty>
      )}
      {found && found.length > 0 && (
        <>
          <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
            {found.map((one) => (
              <Row key={one.key} agent={agent} one={one} />
            ))}
          </ul>
          {turns.data?.more && (
            <p className="mt-2 text-soft text-xs">Of the turns, the latest {count(latest)} are counted here.</p>
          )}
        </>
      )}
      {users.error && <Trouble problem={users.error} />}
      {(others.length > 0 || from > 0) && (
        <section className="mt-6">
          <h2 className="font-semibold">Others it knows</h2>
          <p className="mb-2 text-sm text-soft">
            They spoke with it longer ago, or have a schedule, a note or words of their own with it.
          </p>
          <ul className="flex flex-wrap gap-2">
            {others.map((user) => (
              <li key={user} className="min-w-0">
                <Link
                  href={placeOf(agent, "conversations", user)}
                  className="block rounded-md border border-line bg-card px-2.5 py-1 text-sm [overflow-wrap:anywhere] hover:bg-raised"
                  dir="auto"
                >
                  {user}
                </Link>
              </li>
            ))}
          </ul>
          <Pager
            from={from}
            shown={users.data?.users.length ?? 0}
            size={size}
            more={users.data?.more ?? false}
            words={["Before", "After"]}
          />
        </section>
      )}
    </Page>
  );
}

function Row({ agent, one }: { readonly agent: string; readonly one: Counterpart }) {
  const spoken = [
    ...(one.turns > 0 ? [plural(one.turns, "turn")] : []),
    ...(one.letters > 0 ? [plural(one.letters, "letter")] : []),
  ];
  return (
    <li>
      <Link
        href={placeOf(agent, "conversations", one.key)}
        className="grid gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-raised sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_12rem] sm:items-baseline"
      >
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <span className="font-medium [overflow-wrap:anywhere]" dir="auto">
            {shownName(one.key)}
          </span>
          {one.channels.map((channel) => (
            <Badge key={channel}>{channel}</Badge>
          ))}
          {one.letters > 0 && <Badge tone="wait">letters</Badge>}
        </span>
        <span className="min-w-0 truncate text-sm text-soft" dir="auto">
          {one.last?.slice(0, 200) ?? ""}
        </span>
        <span className="text-soft text-xs sm:text-right">
          {spoken.join(", ")} · {timeText(one.lastAt)}
        </span>
      </Link>
    </li>
  );
}
