import type { AgentAnswer, CounterpartListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { plural } from "../../kit/words.ts";
import { CounterpartRow } from "./counterpart-row.tsx";

const size = 50;

/** With whom an agent has spoken, the latest first, with what all their turns come to. */
export function Counterparts({ agent }: { readonly agent: string }) {
  const { from, ...stretch } = useStretch(size);
  const path = withQuery(`/agents/${encodeName(agent)}/counterparts`, stretch);
  const { data, error, refetch, isPlaceholderData } = useApi<CounterpartListAnswer>(path);
  const served = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`).data?.served !== false;
  return (
    <Page
      title="Conversations"
      hint="Everyone this agent has talked with: users in turns, and senders whose messages came to its inbox."
    >
      {error && <Trouble problem={error} again={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.counterparts.length === 0 &&
        (from === 0 ? (
          <Empty title="No conversations yet.">
            <TextLink href={placeOf(agent, "chat")}>
              {served ? "Start one in Chat" : "It is talked to at a terminal: see how"}
            </TextLink>
          </Empty>
        ) : (
          <Empty title="The list ends before this page." />
        ))}
      {data && data.counterparts.length > 0 && (
        <>
          <p className="mb-2 text-sm text-soft">{plural(data.total, "person or sender", "people and senders")}</p>
          <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
            {data.counterparts.map((one) => (
              <CounterpartRow key={one.user} agent={agent} one={one} />
            ))}
          </ul>
        </>
      )}
      {data && (
        <Pager
          from={from}
          isBefore={isPlaceholderData}
          shown={data.counterparts.length}
          size={size}
          more={data.more}
          total={data.total}
          words={["Previous", "Next"]}
        />
      )}
    </Page>
  );
}
