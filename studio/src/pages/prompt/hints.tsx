import type { AgentAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import { placeOf } from "../../app/place.ts";
import type { Wanted } from "../../assembly/assembled.ts";
import { TextLink } from "../../kit/text-link.tsx";

type HintsProps = { readonly wanted: Wanted; readonly editors: readonly string[] };

/** How this prompt can be changed: only what really works for this agent. */
export function Hints({ wanted: { agent, user }, editors }: HintsProps) {
  const { data } = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`);
  return (
    <p className="text-soft">
      {data && data.served !== false && editors.includes("agent") && (
        <>
          Tell the agent in the <TextLink href={placeOf(agent, "chat", undefined, { user })}>chat</TextLink> what it
          should always do.{" "}
        </>
      )}
      {editors.includes("operator") && (
        <>
          Edit one of its <TextLink href={placeOf(agent, "sections", undefined, { user })}>sections</TextLink>.{" "}
        </>
      )}
      Click a word to see who wrote it.
    </p>
  );
}
