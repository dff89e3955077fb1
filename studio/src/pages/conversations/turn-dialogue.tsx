import type { TurnAnswer, TurnListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Empty, Loading, Trouble } from "../../app/page.tsx";
import { Pager, useStretch } from "../../app/pager.tsx";
import { placeOf } from "../../app/place.ts";
import { Badge } from "../../kit/badge.tsx";
import { isCounterpart } from "../../kit/counterpart.ts";
import { LongText } from "../../kit/text/long-text.tsx";
import { Rendered } from "../../kit/text/rendered.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { timeText } from "../../kit/words.ts";
import { byItself } from "./counterparts.ts";
import { Exchange } from "./exchange.tsx";
import { LinkedChats } from "./linked-chats.tsx";

const size = 30;

/** A user's turns as they were spoken. The newest stretch first, and in it the oldest first. */
export function TurnDialogue({ agent, user }: { readonly agent: string; readonly user: string }) {
  const { from, ...stretch } = useStretch(size);
  const path = withQuery(`/agents/${encodeName(agent)}/turns`, { user, ...stretch });
  const { data, error, refetch } = useApi<TurnListAnswer>(path);
  if (error) return <Trouble problem={error} again={() => void refetch()} />;
  if (!data) return <Loading />;
  const pager = (
    <Pager from={from} shown={data.turns.length} size={size} more={data.more} words={["Later", "Earlier"]} />
  );
  if (data.turns.length === 0)
    return (
      <>
        <Empty title={from === 0 ? "No turns with them" : "No turns so long ago"}>
          {!isCounterpart(user) && (
            <TextLink href={placeOf(agent, "chat", undefined, { user })}>Speak as this user</TextLink>
          )}
        </Empty>
        {pager}
      </>
    );
  return (
    <>
      {!isCounterpart(user) && <LinkedChats agent={agent} user={user} />}
      {data.more && pager}
      <ol className="max-w-4xl space-y-5">
        {data.turns.toReversed().map((turn) => (
          <Spoken key={turn.id} agent={agent} turn={turn} />
        ))}
      </ol>
      {pager}
    </>
  );
}

const unanswered: Readonly<Partial<Record<TurnAnswer["state"], string>>> = {
  running: "It is answering…",
  failed: "No answer: the turn failed.",
  interrupted: "No answer: whoever ran the turn did not come back.",
  erased: "What was said was erased.",
};

function Spoken({ agent, turn }: { readonly agent: string; readonly turn: TurnAnswer }) {
  const { id, input, reply, state, channel, tainted, startedAt, scope } = turn;
  return (
    <Exchange
      about={
        <>
          <span>{timeText(startedAt)}</span>
          {channel !== null && <Badge>{channel}</Badge>}
          {tainted && (
            <Badge tone="wait" title="Foreign words were in this turn’s context">
              tainted
            </Badge>
          )}
          <TextLink href={placeOf(agent, "turns", id)}>Turn</TextLink>
        </>
      }
      from={(channel === null ? undefined : byItself[channel]) ?? scope.user ?? agent}
      agent={agent}
      message={<LongText text={input} />}
      reply={
        reply === null ? (
          <p className="text-soft italic">{unanswered[state] ?? "No answer."}</p>
        ) : (
          <Rendered text={reply} />
        )
      }
    />
  );
}
