import { useState } from "react";
import type { Amending } from "../../../editor/use-amending.ts";
import { Button, Input } from "../../../kit/field.tsx";

/** Back to these words, in one click; or with a reason, in two. Undoing it is going back once more. */
export function RevertButton({ to, amending }: { readonly to: number; readonly amending: Amending }) {
  const [reason, setReason] = useState<string>();
  const what = to === 0 ? "Revert to the original" : "Revert to this";
  if (reason === undefined)
    return (
      <>
        <Button
          disabled={amending.busy || amending.locked}
          onClick={() => void amending.revert(to)}
          title={`Revision ${to}, as a new revision`}
        >
          {what}
        </Button>
        <Button kind="quiet" disabled={amending.locked} onClick={() => setReason("")}>
          Give a reason…
        </Button>
      </>
    );
  return (
    <form
      className="flex w-full flex-wrap gap-1.5"
      onSubmit={async (event) => {
        event.preventDefault();
        if (await amending.revert(to, reason === "" ? undefined : reason)) setReason(undefined);
      }}
    >
      <Input
        autoFocus
        dir="auto"
        aria-label={`Why revert to revision ${to}`}
        placeholder="Reason"
        className="min-w-40 flex-1"
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        onKeyDown={({ key, nativeEvent }) => key === "Escape" && !nativeEvent.isComposing && setReason(undefined)}
      />
      <Button type="submit" disabled={amending.busy || amending.locked}>
        {what}
      </Button>
    </form>
  );
}
