import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import { Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { CallCard } from "./call-card.tsx";
import type { Decision } from "./decisions.tsx";
import { ProposalCard } from "./proposal-card.tsx";
import { ToolCard } from "./tool-card.tsx";
import type { HeldCall, HeldProposal, HeldTool } from "./waiting.ts";

/** One of what waits, or waited, by its id. */
export function OneHeld({
  agent,
  id,
  onDecided,
}: {
  readonly agent: string;
  readonly id: string;
  readonly onDecided: (decision: Decision) => void;
}) {
  const { data, error } = useApi<HeldProposal | HeldCall | HeldTool>(`/approvals/${encodeName(id)}`);
  return (
    <>
      <p className="mb-3 text-sm">
        <TextLink href={placeOf(agent, "approvals")}>All approvals</TextLink>
      </p>
      {error && <Trouble problem={error} />}
      {!data && !error && <Loading />}
      {data && (
        <ol>
          {"server" in data ? (
            <ToolCard key={data.id} agent={agent} held={data} onDecided={onDecided} />
          ) : "tool" in data ? (
            <CallCard key={data.id} agent={agent} held={data} onDecided={onDecided} />
          ) : (
            <ProposalCard key={data.id} agent={agent} held={data} onDecided={onDecided} />
          )}
        </ol>
      )}
    </>
  );
}
