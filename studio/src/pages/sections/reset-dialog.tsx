import type { SectionAnswer } from "charter/answers";
import { useState } from "react";
import { Trouble } from "../../app/page.tsx";
import type { Amending } from "../../editor/use-amending.ts";
import { Button, Field, Input } from "../../kit/field.tsx";
import { Dialog } from "../../kit/menu.tsx";
import { DiffView } from "../../kit/text/diff.tsx";

/** Back to the words the section was born with: what that changes, and why. */
export function ResetDialog({
  section,
  amending,
  onClose,
}: {
  readonly section: SectionAnswer;
  readonly amending: Amending;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  const original = section.original ?? "";
  const same = original === amending.stands.text;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Reset “${section.name}” to the original`}
      about="Saved as a new revision. Earlier ones stay in the history."
    >
      <form
        className="space-y-3"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await amending.reset(reason === "" ? undefined : reason)) onClose();
        }}
      >
        {same ? (
          <p className="text-sm">The current text is the original.</p>
        ) : (
          <DiffView before={amending.stands.text} after={original} className="bg-card" />
        )}
        <Field label="Reason (kept in the history)">
          <Input dir="auto" placeholder="optional" value={reason} onChange={({ target }) => setReason(target.value)} />
        </Field>
        {amending.done?.kind === "failed" && <Trouble problem={amending.done.problem} />}
        <div className="flex gap-2">
          <Button type="submit" kind="primary" disabled={same || amending.busy}>
            Reset to the original
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
