import { useState } from "react";
import { encodeName, request } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { Button, Field, Input } from "../../kit/field.tsx";
import { Dialog } from "../../kit/menu.tsx";
import type { Agent } from "./agent.ts";

/** Its name is typed before it goes: one does not come here by a slip. */
export function RemoveAgent({
  agent: { name },
  onClose,
  onRemoved,
}: {
  readonly agent: Agent;
  readonly onClose: () => void;
  readonly onRemoved?: () => void;
}) {
  const [typed, setTyped] = useState("");
  const { busy, problem, run } = useAct();
  const remove = async () => {
    const gone = await run(() => request(`/agents/${encodeName(name)}`, { method: "DELETE" }));
    if (!gone) return;
    onClose();
    onRemoved?.();
  };
  return (
    <Dialog open onClose={onClose} title={`Remove “${name}”?`} about="This page cannot bring it back.">
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === name) void remove();
        }}
      >
        <ul className="list-disc space-y-1 pl-5 text-sm">
          <li>
            It takes no turns any more. Its schedules end, what waits for a person is rejected, and its tokens are
            revoked.
          </li>
          <li>Its turns, conversations, memories and texts are kept, and so is its name.</li>
          <li>
            Where the server runs, <code className="[overflow-wrap:anywhere]">charter agents remove {name}</code> saves
            everything to a file first, and can erase it.
          </li>
        </ul>
        <Field label={`Type “${name}” to confirm`}>
          <Input dir="auto" autoComplete="off" value={typed} onChange={({ target }) => setTyped(target.value)} />
        </Field>
        {problem && <Trouble problem={problem} />}
        <div className="flex justify-end gap-2">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="danger" disabled={busy || typed !== name}>
            Remove agent
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
