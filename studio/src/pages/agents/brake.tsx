import { useState } from "react";
import { encodeName as encoded, sendJson } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { Button } from "../../kit/field.tsx";
import { Dialog } from "../../kit/menu.tsx";
import type { Agent } from "./agent.ts";

type What = "amendments" | "agent";

const choices: readonly [what: What, title: string, says: string][] = [
  [
    "amendments",
    "Its texts",
    "Nobody can change its texts any more, you included. It goes on answering with the texts it has now.",
  ],
  [
    "agent",
    "The whole agent",
    "It takes no turns: users are told so, schedules fail, and a running turn ends before its next step. Its texts cannot be changed either.",
  ],
];

/** The operator's brake, and its release: it holds from the next moment on, in every process on this database. */
export function Brake({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const { name, frozen } = agent;
  const [what, setWhat] = useState<What>("amendments");
  const { busy, problem, run } = useAct();
  const decide = async () => {
    const path = `/agents/${encoded(name)}/${frozen ? "thaw" : "freeze"}`;
    if (await run(() => sendJson(path, frozen ? {} : { what }))) onClose();
  };
  const released =
    frozen === "agent"
      ? `“${name}” takes turns again, and its texts can be changed again.`
      : `The texts of “${name}” can be changed again.`;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${frozen ? "Unfreeze" : "Freeze"} “${name}”`}
      about={frozen ? released : "Takes effect at once, until someone unfreezes it. Nothing is lost."}
    >
      {!frozen && (
        <fieldset className="space-y-2">
          <legend className="sr-only">What to freeze</legend>
          {choices.map(([value, title, says]) => (
            <label key={value} className="flex gap-2.5 rounded-md border border-line bg-card p-3">
              <input
                type="radio"
                name="what"
                checked={what === value}
                onChange={() => setWhat(value)}
                className="mt-1 size-4 shrink-0 accent-accent"
              />
              <span>
                <span className="font-medium">{title}</span>
                <span className="block text-sm text-soft">{says}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {problem && <Trouble problem={problem} />}
      <div className="mt-4 flex justify-end gap-2">
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button kind="primary" disabled={busy} onClick={decide}>
          {frozen ? "Unfreeze" : "Freeze"}
        </Button>
      </div>
    </Dialog>
  );
}
