import type { MessageListAnswer } from "charter/answers";
import { placeOf, saidWith } from "../../app/place.ts";
import { Fence, LongText } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { counterpartKey, plural, timeText } from "../../kit/words.ts";
import { MessageActs } from "./message-acts.tsx";

export type Message = MessageListAnswer["messages"][number];

/** A message: from whom, its words, every try that failed and why, and what can be done with it. */
export function MessageItem({
  agent,
  message,
  onDone,
}: {
  readonly agent: string;
  readonly message: Message;
  readonly onDone: (says: string) => void;
}) {
  const { sender, at, body, status, tries, turn, failures } = message;
  return (
    <li className="space-y-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-soft text-xs">
        <span>{timeText(at)}</span>
        {tries > 0 && <span>{plural(tries, "try", "tries")}</span>}
        {status === "taken" && turn !== null && <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>}
        {status === "waiting" && <MessageActs agent={agent} message={message} onDone={onDone} className="ml-auto" />}
      </div>
      <Fence
        from={
          <>
            <TextLink href={saidWith(agent, counterpartKey(sender))} dir="auto">
              {sender}
            </TextLink>{" "}
            wrote
          </>
        }
      >
        <LongText text={body} max={400} />
      </Fence>
      {failures.length > 0 && (
        <ol aria-label="Why it failed" className="space-y-0.5 text-sm">
          {failures.map((failure) => (
            <li key={failure.at + failure.because} className="[overflow-wrap:anywhere]">
              <span className="text-soft text-xs">{timeText(failure.at)}</span>{" "}
              <bdi className="text-bad">{failure.because}</bdi>
              {failure.turn !== null && (
                <>
                  {" "}
                  <TextLink href={placeOf(agent, "turns", failure.turn)}>Turn</TextLink>
                </>
              )}
            </li>
          ))}
        </ol>
      )}
      {status === "dead" && <MessageActs agent={agent} message={message} onDone={onDone} />}
    </li>
  );
}
