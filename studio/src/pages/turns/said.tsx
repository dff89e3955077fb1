import type { ConversationAnswer } from "charter/answers";
import { Fragment, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Empty, Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { EventBadges, type ListedTurn, type TurnPage } from "../../billing/listed-turn.tsx";
import { useLookingAgain } from "../../billing/sample.ts";
import { Button, Choices } from "../../kit/field.tsx";
import { Badge } from "../../kit/icon.tsx";
import { Fence, InputBubble, LongText, SessionLine } from "../../kit/text/long-text.tsx";
import { Rendered } from "../../kit/text/rendered.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, plural, shownName, timeText } from "../../kit/words.ts";
import { TurnFoot } from "../chat/turn-foot.tsx";

const size = 30;

type SaidProps = { readonly agent: string; readonly of: Readonly<Record<string, string | number>> };

/** Turns as they were spoken, with the cost of each: the newest of them, the oldest of those at the top. */
export function SaidInTurns({ agent, of }: SaidProps) {
  const [offset, setOffset] = useState(0);
  const path = withQuery(`/agents/${encodeName(agent)}/turns`, { ...of, limit: size, offset });
  const { data, error, refetch } = useApi<TurnPage>(path);
  useLookingAgain(data?.turns.some(({ state }) => state === "running") ?? false, refetch);
  if (error) return <Trouble problem={error} again={() => void refetch()} />;
  if (!data) return <Loading />;
  const turns = data.turns.toReversed();
  return (
    <div className="mx-auto max-w-3xl space-y-6">
      <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
        {turns.length === 0 ? "No turns." : `${plural(data.total, "turn")}, oldest at the top.`}
        {data.more && <Button onClick={() => setOffset(offset + size)}>Show {count(size)} earlier</Button>}
        {offset > 0 && <Button onClick={() => setOffset(Math.max(0, offset - size))}>Show later</Button>}
      </p>
      <ol className="space-y-7">
        {turns.map((turn, index) => (
          <Fragment key={turn.id}>
            {index > 0 && turn.session !== null && turns[index - 1]?.session !== turn.session && (
              <li>
                <SessionLine>Another session: the history above is not in it</SessionLine>
              </li>
            )}
            <li>
              <SpokenTurn agent={agent} turn={turn} />
            </li>
          </Fragment>
        ))}
      </ol>
    </div>
  );
}

const unanswered: Readonly<Record<ListedTurn["state"], string>> = {
  running: "Still running…",
  answered: "The reply is empty.",
  failed: "No reply: the turn failed.",
  interrupted: "No reply: the process that ran the turn has stopped.",
  erased: "This turn was erased.",
};

/** Who speaks in turns that nobody typed, by their channel. */
const byItself: Readonly<Record<string, string>> = {
  scheduled: "a schedule",
  automaton: "the inbox",
  inbox: "the inbox",
};

/** One turn as the Chat page shows it, with what it used and cost. */
function SpokenTurn({ agent, turn }: { readonly agent: string; readonly turn: ListedTurn }) {
  const { id, input, reply, state, channel, tainted, startedAt, events } = turn;
  const from = channel === null ? undefined : byItself[channel];
  return (
    <article aria-label={`Turn of ${timeText(startedAt)}`} className="space-y-2.5">
      {state !== "erased" && (
        <InputBubble
          about={
            channel !== "web" && (
              <span className="mb-0.5 flex flex-wrap gap-1">
                <Badge>{channel ?? "no channel"}</Badge>
                {from !== undefined && <span className="text-soft text-xs">from {from}</span>}
              </span>
            )
          }
          text={input}
        />
      )}
      <div data-answer>
        {reply === null || reply === "" ? (
          <p className={`text-sm ${state === "failed" || state === "interrupted" ? "text-bad" : "text-soft"}`}>
            {unanswered[state]}
          </p>
        ) : (
          <Rendered text={reply} />
        )}
      </div>
      <TurnFoot agent={agent} id={id} at={startedAt} turn={turn} tainted={tainted} reply={reply ?? ""}>
        <EventBadges events={events} />
      </TurnFoot>
    </article>
  );
}

const ways = [
  ["messages", "Messages"],
  ["turns", "Turns"],
] as const;

/** What was said with a sender of messages: the messages and their replies, or the turns that answered them. */
export function SaidWithSender({ agent, sender, of }: SaidProps & { readonly sender: string }) {
  const [shown, setShown] = useState<(typeof ways)[number][0]>("messages");
  return (
    <>
      <Choices label="How it is shown" of={ways} chosen={shown} onChoose={setShown} />
      {shown === "turns" ? (
        <SaidInTurns agent={agent} of={{ ...of, user: sender }} />
      ) : (
        <Letters agent={agent} sender={shownName(sender)} />
      )}
    </>
  );
}

/** Messages from outside and their replies. A sender's words are untrusted, and look it. */
function Letters({ agent, sender }: { readonly agent: string; readonly sender: string }) {
  const path = `/agents/${encodeName(agent)}/conversations/${encodeName(sender)}`;
  const { data, error, refetch } = useApi<ConversationAnswer>(path);
  if (error?.status === 404)
    return <Empty title="No messages are kept.">Only the latest messages of each sender are kept.</Empty>;
  if (error) return <Trouble problem={error} again={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <div className="mx-auto max-w-3xl">
      <ol className="space-y-7">
        {data.exchanges.map(({ inbox_message_id, timestamp, sender_body, agent_reply, turn_id }) => (
          <li key={inbox_message_id}>
            <article aria-label={`Message of ${timeText(timestamp)}`} className="space-y-2.5">
              <div className="ms-auto w-fit max-w-[88%]">
                <Fence
                  from={
                    <>
                      <bdi>{data.counterpart}</bdi> wrote
                    </>
                  }
                >
                  <LongText text={sender_body} max={2000} />
                </Fence>
              </div>
              <div data-answer>
                <LongText text={agent_reply} />
              </div>
              <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-soft text-xs">
                <time dateTime={timestamp}>{timeText(timestamp)}</time>
                <TextLink href={placeOf(agent, "turns", turn_id)}>Open turn</TextLink>
              </p>
            </article>
          </li>
        ))}
      </ol>
      <p className="mt-4 text-soft text-xs">Only the latest messages are kept, and only the beginning of each.</p>
    </div>
  );
}
