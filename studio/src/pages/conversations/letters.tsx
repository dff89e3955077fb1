import type { ConversationAnswer } from "charter/answers";
import { useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import { Empty, Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, timeText } from "../../kit/words.ts";
import { Exchange } from "./exchange.tsx";

const size = 50;

/** Messages from outside and their replies. `kept`: whether there are any, once that is known. */
export function Letters({
  agent,
  counterpart,
  kept,
}: {
  readonly agent: string;
  readonly counterpart: string;
  readonly kept: boolean | undefined;
}) {
  const path = `/agents/${encodeName(agent)}/conversations/${encodeName(counterpart)}`;
  const { data, error, refetch } = useApi<ConversationAnswer>(kept ? path : undefined);
  const [shown, setShown] = useState(size);
  if (error) return <Trouble problem={error} again={() => void refetch()} />;
  if (kept === false)
    return <Empty title="No messages are kept.">Only the latest messages of each sender are kept.</Empty>;
  if (!data) return <Loading />;
  const left = data.exchanges.length - shown;
  return (
    <>
      {left > 0 && (
        <Button className="mb-4" onClick={() => setShown(shown + size)}>
          Show {count(Math.min(left, size))} earlier of {count(left)}
        </Button>
      )}
      <ol className="mx-auto max-w-3xl space-y-7">
        {data.exchanges.slice(-shown).map((one) => (
          <li key={one.inbox_message_id}>
            <Exchange
              label={`Message of ${timeText(one.timestamp)}`}
              from={data.counterpart}
              message={one.sender_body}
              reply={<LongText text={one.agent_reply} />}
              foot={
                <>
                  <time dateTime={one.timestamp}>{timeText(one.timestamp)}</time>
                  <TextLink href={placeOf(agent, "turns", one.turn_id)}>Open turn</TextLink>
                </>
              }
            />
          </li>
        ))}
      </ol>
      <p className="mt-4 text-soft text-xs">Only the latest messages are kept, and only the beginning of each.</p>
    </>
  );
}
