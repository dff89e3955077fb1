import { useState } from "react";
import { ApiProblem, encodeName, sendJson } from "../../api/request.ts";
import { Trouble } from "../../app/page.tsx";
import { useAct } from "../../app/use-act.ts";
import { Button } from "../../kit/button.tsx";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Field, Textarea } from "../../kit/field.tsx";
import { Stale } from "./stale.tsx";

/** Yes, or no with a reason. */
export function Deciding<Answer>({
  id,
  what,
  hint = "Whoever asks again is told.",
  onApproved,
  onRejected,
  onLate,
}: {
  readonly id: string;
  readonly what: string;
  /** What becomes of the reason. */
  readonly hint?: string;
  readonly onApproved: (answer: Answer) => void;
  readonly onRejected: () => void;
  /** Someone else decided meanwhile. */
  readonly onLate: () => void;
}) {
  const [reason, setReason] = useDraft(placeOfDraft("held", id));
  const [saying, setSaying] = useState(reason !== undefined);
  const { busy, problem, run } = useAct();
  const decide = async <Said,>(way: "approve" | "reject", body: object, then: (answer: Said) => void) => {
    const asked = () => sendJson<Said>(`/approvals/${encodeName(id)}/${way}`, body).catch(unlessLate);
    const answer = await run(asked);
    if (answer === undefined) return;
    setReason(undefined);
    if (answer === "late") onLate();
    else then(answer);
  };
  const words = reason?.trim() ?? "";
  const approve = () => decide<Answer>("approve", {}, onApproved);
  const reject = () => decide("reject", words === "" ? {} : { reason: words }, onRejected);
  return (
    <div className="space-y-3">
      {problem && <Objection problem={problem} />}
      {saying ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void reject();
          }}
        >
          <Field label="Why not (may be left out)" hint={hint}>
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
              Reject it
            </Button>
            <Button
              kind="quiet"
              onClick={() => {
                setSaying(false);
                setReason(undefined);
              }}
            >
              Not yet
            </Button>
          </div>
        </form>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" disabled={busy} aria-label={`Approve ${what}`} onClick={approve}>
            Approve
          </Button>
          <Button disabled={busy} aria-label={`Reject ${what}`} onClick={() => setSaying(true)}>
            Reject…
          </Button>
        </div>
      )}
    </div>
  );
}

/** What someone else has decided meanwhile is an answer, not a failure. */
function unlessLate(error: unknown): "late" {
  if (error instanceof ApiProblem && error.error.code === "already-decided") return "late";
  throw error;
}

function Objection({ problem }: { readonly problem: ApiProblem }) {
  if (problem.error.code === "stale") return <Stale problem={problem} />;
  return (
    <>
      <Trouble problem={problem} />
      {problem.status === 422 && <p className="text-sm text-soft">It still waits. Nothing changed.</p>}
    </>
  );
}
