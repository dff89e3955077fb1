import { type ReactNode, useState } from "react";
import { Trouble } from "../../app/page.tsx";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Button, Field, Textarea } from "../../kit/field.tsx";
import { type Decide, useDecision } from "./use-decision.ts";

type Choosing = { readonly busy: boolean; readonly decide: Decide };

/** Yes, or no with a reason. `form` is what a proposal offers besides: it takes the place of the buttons. */
export function Deciding<Answer>({
  id,
  what,
  hint = "The agent is told the reason if it asks for the same again.",
  asks = false,
  approves = true,
  more,
  form,
  onApproved,
  onRejected,
  onLate,
}: {
  readonly id: string;
  readonly what: string;
  /** What becomes of the reason. */
  readonly hint?: string;
  /** It cannot be taken back: a key alone does not approve it. */
  readonly asks?: boolean;
  /** It can be approved as it is. */
  readonly approves?: boolean;
  readonly more?: ReactNode;
  readonly form?: ((choosing: Choosing) => ReactNode) | undefined;
  readonly onApproved: (answer: Answer) => void;
  readonly onRejected: () => void;
  /** Someone else decided meanwhile. */
  readonly onLate: () => void;
}) {
  const [reason, setReason] = useDraft(placeOfDraft("held", id));
  const [saying, setSaying] = useState(reason !== undefined);
  const { busy, problem, decide } = useDecision(id);
  const done = (then: () => void) => {
    setReason(undefined);
    then();
  };
  const words = reason?.trim() ?? "";
  const late = () => done(onLate);
  const approve = () => decide<Answer>("approve", {}, (answer) => done(() => onApproved(answer)), late);
  const reject = () => decide("reject", words === "" ? {} : { reason: words }, () => done(onRejected), late);
  return (
    <div className="space-y-3">
      {problem && (
        <>
          <Trouble problem={problem} />
          {problem.status === 422 && <p className="text-sm text-soft">It still waits. Nothing changed.</p>}
        </>
      )}
      {form?.({ busy, decide })}
      {!form && saying && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void reject();
          }}
        >
          <Field label="Reason (optional)" hint={hint}>
            <Textarea
              rows={2}
              dir="auto"
              // One has just pressed the button that asks for these words; or they were typed before.
              autoFocus={reason === undefined}
              value={reason ?? ""}
              onChange={({ target }) => setReason(target.value)}
            />
          </Field>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button type="submit" kind="danger" disabled={busy}>
              Reject
            </Button>
            <Button
              kind="quiet"
              onClick={() => {
                setSaying(false);
                setReason(undefined);
              }}
            >
              Cancel
            </Button>
          </div>
        </form>
      )}
      {!form && !saying && (
        <div className="flex flex-wrap gap-2">
          {approves && (
            <Button
              kind="primary"
              disabled={busy}
              aria-label={`Approve ${what}`}
              data-act="approve"
              data-asks={asks ? "" : undefined}
              onClick={approve}
            >
              Approve
            </Button>
          )}
          {more}
          <Button disabled={busy} aria-label={`Reject ${what}`} data-act="reject" onClick={() => setSaying(true)}>
            Reject…
          </Button>
        </div>
      )}
    </div>
  );
}
