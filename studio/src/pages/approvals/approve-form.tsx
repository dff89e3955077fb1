import type { OutcomeAnswer } from "charter/answers";
import { Refusals, Trouble } from "../../app/page.tsx";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Button, Field, Textarea } from "../../kit/field.tsx";
import { SideBySide } from "../../kit/text/diff.tsx";
import { count, plural } from "../../kit/words.ts";
import { type Checked, useCheck } from "./use-check.ts";
import type { Decide } from "./use-decision.ts";
import type { HeldProposal } from "./waiting.ts";

export const placeOfEdit = (id: string) => placeOfDraft("held-edit", id);

/** Approves a proposal with other text, or on the section's current text: what comes of it is shown first. */
export function ApproveForm({
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
      {problem && <Trouble problem={problem} />}
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
