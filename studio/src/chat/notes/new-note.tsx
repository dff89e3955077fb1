import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { useAct } from "../api/act.ts";
import { useFacts } from "../api/page-facts.ts";
import { agentPath, sendJson } from "../api/request.ts";
import { NoteForm } from "./note-form.tsx";

export function NewNote() {
  const { agent } = useFacts();
  const { busy, problem, run } = useAct();
  const [open, setOpen] = useState(false);
  if (!open)
    return (
      <Button onClick={() => setOpen(true)}>
        <Icon of={Plus} className="size-4" /> Add a note
      </Button>
    );
  return (
    <div className="rounded-xl border border-line bg-card p-4">
      <NoteForm
        label="New note"
        busy={busy}
        problem={problem}
        onSave={async (text) => {
          if (await run(() => sendJson(agentPath(agent.name, "memory"), { text }))) setOpen(false);
        }}
        onCancel={() => setOpen(false)}
      />
    </div>
  );
}
