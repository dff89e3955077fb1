import type { ListedTurn } from "../../billing/listed-turn.ts";
import { Badge } from "../../kit/icon.tsx";
import { InputBubble } from "../../kit/text/long-text.tsx";
import { Rendered } from "../../kit/text/rendered.tsx";
import { timeText } from "../../kit/words.ts";
import { TurnFoot } from "../chat/foot/turn-foot.tsx";
import { EventBadges } from "../turns/list/event-badges.tsx";

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

/** One turn of a conversation, as the Chat page shows it, with what it used and cost. */
export function SpokenTurn({ agent, turn }: { readonly agent: string; readonly turn: ListedTurn }) {
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
