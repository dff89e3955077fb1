import type { OutcomeAnswer } from "charter/answers";
import { useState } from "react";
import { Link } from "wouter";
import { Refusals } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { hasDraft } from "../../kit/draft.ts";
import { Button } from "../../kit/field.tsx";
import { Hand } from "../../kit/hand.tsx";
import { SideBySide } from "../../kit/text/diff.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { count } from "../../kit/words.ts";
import { ApproveForm, placeOfEdit } from "./approve-form.tsx";
import { Cause } from "./cause.tsx";
import { Deciding } from "./deciding.tsx";
import type { Decision } from "./decisions.tsx";
import { HeldCard } from "./held-card.tsx";
import { Stale } from "./stale.tsx";
import { UnusedEdit } from "./unused-edit.tsx";
import type { HeldProposal } from "./waiting.ts";

const operations: Readonly<Record<HeldProposal["proposal"]["operation"]["kind"], string>> = {
  append: "add to it",
  prepend: "add text before it",
  replace_section: "replace a passage of it",
  rewrite: "rewrite it",
  reset: "reset it to its original",
  revert: "revert it to an earlier revision",
};

/** A change someone wants: both texts side by side, every reason to ask a person, and what led to it. */
export function ProposalCard({
  held,
  onDecided,
}: {
  readonly held: HeldProposal;
  readonly onDecided: (decision: Decision) => void;
}) {
  const { id, section, proposal, refusals, before, after, at, status, scope, revision, stale, edited } = held;
  const { agent, user } = scope;
  const base = { id, agent, user };
  const decided = { at: held.decidedAt, by: held.decidedBy, reason: held.decisionReason };
  const editable = "content" in proposal.operation;
  const [open, setOpen] = useState<"edit" | "current" | undefined>(() =>
    editable && hasDraft(placeOfEdit(id)) ? "edit" : undefined,
  );
  const what = `the change of “${section}”`;
  const approved = ({ revision: now, publication }: OutcomeAnswer) =>
    onDecided({ ...base, kind: "amended", section, revision: now, publication });
  const late = () => onDecided({ ...base, kind: "late", what });
  return (
    <HeldCard
      {...{ agent, id, status, stale, user, at, decided, turn: proposal.turn }}
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
          Reason: “<bdi>{proposal.reason}</bdi>”
        </p>
      )}
      <div className="text-sm">
        <Refusals refusals={refusals} />
      </div>
      <Cause agent={agent} user={user} cause={held.cause} />
      {stale ? (
        <Stale held={held} />
      ) : (
        <SideBySide
          before={before}
          after={after}
          names={[
            proposal.revision === undefined ? "Before" : `Before, revision ${count(proposal.revision)}`,
            revision === null || edited ? "Proposed" : `Approved as revision ${count(revision)}`,
          ]}
        />
      )}
      {edited && (
        <div className="text-sm">
          <p className="mb-0.5 text-soft text-xs [overflow-wrap:anywhere]">
            Edited by <bdi>{edited.by}</bdi>
            {revision === null ? "" : `, approved as revision ${count(revision)}`}
          </p>
          <div className="rounded-md border border-line bg-paper px-3 py-2 font-mono text-[0.8rem] leading-5">
            <LongText text={edited.content} />
          </div>
        </div>
      )}
      {status !== "waiting" && <UnusedEdit id={id} />}
      {status === "waiting" && (
        <Deciding<OutcomeAnswer>
          id={id}
          what={what}
          approves={!stale}
          more={
            <>
              {stale && (
                <Button
                  kind="primary"
                  data-act="approve"
                  aria-label={`Apply to current text… (${what})`}
                  onClick={() => setOpen("current")}
                >
                  Apply to current text…
                </Button>
              )}
              {editable && (
                <Button data-act="edit" aria-label={`Edit ${what}`} onClick={() => setOpen("edit")}>
                  Edit…
                </Button>
              )}
            </>
          }
          form={
            open &&
            (({ busy, decide }) => (
              <ApproveForm
                held={held}
                editing={open === "edit"}
                {...{ busy, decide }}
                onApproved={approved}
                onLate={late}
                onCancel={() => setOpen(undefined)}
              />
            ))
          }
          onApproved={approved}
          onRejected={() => onDecided({ ...base, kind: "rejected", what })}
          onLate={late}
        />
      )}
    </HeldCard>
  );
}
