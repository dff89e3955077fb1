import type { OutcomeAnswer } from "charter/answers";
import { Link } from "wouter";
import { Refusals } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { Hand } from "../../kit/hand.tsx";
import { SideBySide } from "../../kit/text/side-by-side.tsx";
import { Deciding } from "./deciding.tsx";
import type { Decision } from "./decisions.tsx";
import { HeldCard } from "./held-card.tsx";
import type { HeldProposal } from "./waiting.ts";

const operations: Readonly<Record<HeldProposal["proposal"]["operation"]["kind"], string>> = {
  append: "append to it",
  prepend: "put words before it",
  replace_section: "replace a passage of it",
  rewrite: "rewrite it",
  reset: "reset it to its original",
  revert: "go back to an earlier revision of it",
};

/** A change someone wants: what stands and what would, side by side, and every guard's reason to ask a person. */
export function ProposalCard({
  agent,
  held,
  onDecided,
}: {
  readonly agent: string;
  readonly held: HeldProposal;
  readonly onDecided: (decision: Decision) => void;
}) {
  const { id, section, proposal, refusals, before, after, at, status, scope, revision } = held;
  const { user } = scope;
  const decided = { at: held.decidedAt, by: held.decidedBy, reason: held.decisionReason };
  return (
    <HeldCard
      {...{ agent, id, status, user, at, decided, turn: proposal.turn }}
      title={
        <Link href={placeOf(agent, "sections", section, { user })} className="hover:underline" dir="auto">
          {section}
        </Link>
      }
      asked={
        <>
          <Hand actor={proposal.actor} />
          {status === "waiting" ? "wants" : "wanted"} to {operations[proposal.operation.kind]}
        </>
      }
    >
      {proposal.reason !== undefined && (
        <p className="text-sm [overflow-wrap:anywhere]">
          Because: “<bdi>{proposal.reason}</bdi>”
        </p>
      )}
      <div className="text-sm">
        <Refusals refusals={refusals} />
      </div>
      <SideBySide
        before={before}
        after={after}
        names={[
          proposal.revision === undefined ? "Stood then" : `Stood then, revision ${proposal.revision}`,
          revision === null ? (status === "waiting" ? "Would stand" : "Was wanted") : `Became revision ${revision}`,
        ]}
      />
      {status === "waiting" && (
        <Deciding<OutcomeAnswer>
          id={id}
          what={`the change of “${section}”`}
          onApproved={({ revision: now, publication }) =>
            onDecided({ id, user, kind: "amended", section, revision: now, publication })
          }
          onRejected={() => onDecided({ id, user, kind: "rejected", what: `the change of “${section}”` })}
          onLate={() => onDecided({ id, user, kind: "late", what: `the change of “${section}”` })}
        />
      )}
    </HeldCard>
  );
}
