import { useQuery } from "@tanstack/react-query";
import type { OutcomeAnswer } from "charter/answers";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { ApiProblem, encodeName, sendJson } from "../../api/request.ts";
import { onEscape } from "../../app/form-dialog.tsx";
import { type Refusal, Refusals, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { hasDraft, placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Button, Field, Textarea } from "../../kit/field.tsx";
import { Hand } from "../../kit/hand.tsx";
import { SideBySide } from "../../kit/text/diff.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { count, plural } from "../../kit/words.ts";
import { Cause } from "./cause.tsx";
import { type Decide, Deciding, type Decision } from "./deciding.tsx";
import { HeldCard, type HeldProposal } from "./held-card.tsx";

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

export const placeOfEdit = (id: string) => placeOfDraft("held-edit", id);

/** Approves a proposal with other text, or on the section's current text: what comes of it is shown first. */
function ApproveForm({
  held,
  editing,
  busy,
  decide,
  onApproved,
  onLate,
  onCancel,
}: {
  readonly held: HeldProposal;
  readonly editing: boolean;
  readonly busy: boolean;
  readonly decide: Decide;
  readonly onApproved: (answer: OutcomeAnswer) => void;
  readonly onLate: () => void;
  readonly onCancel: () => void;
}) {
  const { id, proposal, standing } = held;
  const { operation } = proposal;
  const proposed = "content" in operation ? operation.content : "";
  const [draft, setDraft] = useDraft(placeOfEdit(id));
  const text = draft ?? proposed;
  const current = standing === null ? {} : { current: true, revision: standing.revision };
  const body = { ...(editing ? { content: text } : {}), ...current };
  const checked = useCheck(id, body);
  const { check, checking } = checked;
  const now = standing?.revision ?? proposal.revision ?? 0;
  const overwrites = standing !== null && !["append", "prepend", "replace_section"].includes(operation.kind);
  const done = (then: () => void) => {
    setDraft(undefined);
    then();
  };
  return (
    <form
      className="space-y-3 rounded-md border border-line p-3"
      onKeyDown={onEscape(onCancel)}
      onSubmit={(event) => {
        event.preventDefault();
        void decide<OutcomeAnswer>("approve", body, (answer) => done(() => onApproved(answer)), onLate);
      }}
    >
      {editing && (
        <Field
          label={operation.kind === "rewrite" ? "New text of the section" : "Text"}
          hint="You count as its author. What was proposed stays on record."
        >
          <Textarea
            rows={Math.min(16, Math.max(3, text.split("\n").length + 1))}
            dir="auto"
            autoFocus
            spellCheck={false}
            className="font-mono"
            value={text}
            onChange={({ target }) => setDraft(target.value)}
          />
        </Field>
      )}
      {standing !== null && <p className={`text-sm ${overwrites ? "text-bad" : ""}`}>{appliesText(held)}</p>}
      <CheckedText checked={checked} next={now + 1} />
      {check && check.kind !== "refused" && (
        <SideBySide
          before={check.before}
          after={check.after}
          names={[`Current, revision ${count(now)}`, `Revision ${count(now + 1)}`]}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          kind={overwrites ? "danger" : "primary"}
          autoFocus={!editing}
          disabled={busy || checking || !check || check.kind === "refused"}
        >
          {overwrites
            ? `Overwrite revision ${count(now)}`
            : editing
              ? "Approve edited text"
              : `Apply to revision ${count(now)}`}
        </Button>
        <Button kind="quiet" onClick={() => done(onCancel)}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** What applying it to the current text does to that. */
function appliesText({ proposal, standing }: HeldProposal): string {
  const now = `revision ${count(standing?.revision ?? 0)}`;
  switch (proposal.operation.kind) {
    case "append":
      return `The text is added at the end of ${now}. Nothing is overwritten.`;
    case "prepend":
      return `The text is added at the beginning of ${now}. Nothing is overwritten.`;
    case "replace_section":
      return `The passage “${proposal.operation.marker}” of ${now} is replaced. The rest stays.`;
    default:
      return `This overwrites ${now}: what changed since revision ${count(proposal.revision ?? 0)} is lost from the text. The history keeps it.`;
  }
}

function CheckedText({ checked, next }: { readonly checked: Checked; readonly next: number }) {
  const { check, problem, checking } = checked;
  return (
    <div aria-live="polite" aria-busy={checking} className="text-sm">
      <Trouble problem={problem} />
      {!problem && (!check || checking) && <p className="text-soft">Checking…</p>}
      {!problem && check?.kind === "accepted" && (
        <p className="text-good">Checks passed. Saves as revision {count(next)}.</p>
      )}
      {!problem && check?.kind === "unchanged" && <p>The section already says this. Approving it changes nothing.</p>}
      {!problem && check?.kind === "refused" && (
        <>
          <p className="text-bad">{plural(check.refusals.length, "objection")}. It cannot be approved like this.</p>
          <Refusals refusals={check.refusals} />
        </>
      )}
    </div>
  );
}

/** The section has changed since: the text it was made for, the current one and the proposed one. */
export function Stale({ held }: { readonly held: HeldProposal }) {
  const { before, after, proposal, standing } = held;
  const base = `Before, revision ${count(proposal.revision ?? 0)}`;
  return (
    <div role="note" className="space-y-2 rounded-md border border-wait/50 p-3 text-sm">
      <p>
        The section has changed since this was proposed
        {standing &&
          `: it is at revision ${count(standing.revision)}, and this was made for revision ${count(proposal.revision ?? 0)}`}
        . It can be applied to the current text, edited, or rejected.
      </p>
      {standing && (
        <SideBySide before={before} after={standing.text} names={[base, `Now, revision ${count(standing.revision)}`]} />
      )}
      <SideBySide before={before} after={after} names={[base, "Proposed"]} />
    </div>
  );
}

/** What was typed here when someone else decided: it was not used, and is not lost. */
function UnusedEdit({ id }: { readonly id: string }) {
  const [draft, setDraft] = useDraft(placeOfEdit(id));
  if (draft === undefined) return null;
  return (
    <section aria-label="Your text" className="rounded-md border border-wait/50 p-3 text-sm">
      <p>Someone decided while you edited it. Your text was not used:</p>
      <div className="my-2 rounded-md border border-line bg-paper px-3 py-2 font-mono text-[0.8rem] leading-5">
        <LongText text={draft} />
      </div>
      <Button onClick={() => setDraft(undefined)}>Discard your text</Button>
    </section>
  );
}

/** What approving would come to. */
export type Check =
  | {
      readonly kind: "accepted" | "unchanged";
      readonly before: string;
      readonly after: string;
    }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

export type Checked = {
  readonly check: Check | undefined;
  readonly problem: ApiProblem | null;
  /** What is shown is about older text. */
  readonly checking: boolean;
};

const pauseMs = 300;

/** Asks every guard, without approving anything: when typing pauses, and again when something happened. */
function useCheck(id: string, body: object): Checked {
  const wanted = JSON.stringify(body);
  const [settled, setSettled] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(wanted), pauseMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { data, error, isPlaceholderData, isFetching } = useQuery<Check, ApiProblem>({
    queryKey: ["api", "approval-check", id, settled],
    queryFn: ({ signal }) =>
      sendJson<OutcomeAnswer>(
        `/approvals/${encodeName(id)}/approve`,
        { ...(JSON.parse(settled) as object), dryRun: true },
        { signal },
      ).then(checkOf, refusedOf),
    placeholderData: (before) => before,
    gcTime: 0,
  });
  return { check: data, problem: error, checking: settled !== wanted || isPlaceholderData || (isFetching && !data) };
}

function checkOf({ verdict, before, after }: OutcomeAnswer): Check {
  return { kind: verdict === "unchanged" ? "unchanged" : "accepted", before, after };
}

/** A no is an answer too; whatever else went wrong is none. */
function refusedOf(problem: unknown): Check {
  if (problem instanceof ApiProblem && problem.error.refusals)
    return { kind: "refused", refusals: problem.error.refusals };
  throw problem;
}
