import type { ConversationAnswer } from "charter/answers";
import { useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import { Empty, Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { Button } from "../../kit/button.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, timeText } from "../../kit/words.ts";
import { Exchange } from "./exchange.tsx";

const size = 50;

/** Exchanges by letter. A sender's words are foreign, and look it. `kept`: whether there are any, once that is known. */
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
    return <Empty title="No letters with them">Of each agent’s letters the latest are kept, by sender.</Empty>;
  if (!data) return <Loading />;
  const left = data.exchanges.length - shown;
  return (
    <>
      {left > 0 && (
        <Button className="mb-4" onClick={() => setShown(shown + size)}>
          Show earlier ones: {count(left)} are left
        </Button>
      )}
      <ol className="max-w-4xl space-y-5">
        {data.exchanges.slice(-shown).map((one) => (
          <Exchange
            key={one.inbox_message_id}
            about={
              <>
                <span>{timeText(one.timestamp)}</span>
                <TextLink href={placeOf(agent, "turns", one.turn_id)}>Turn</TextLink>
              </>
            }
            from={data.counterpart}
            agent={agent}
            foreign
            message={<LongText text={one.sender_body} />}
            reply={<LongText text={one.agent_reply} />}
          />
        ))}
      </ol>
      <p className="mt-4 text-soft text-xs">
        Of a conversation by letter the latest exchanges are kept, and their beginnings.
      </p>
    </>
  );
}
