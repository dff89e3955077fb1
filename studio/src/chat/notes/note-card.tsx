import type { NoteListAnswer } from "charter/answers";
import { useState } from "react";
import { Button } from "../../kit/field.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { useAct } from "../api/act.ts";
import { useFacts } from "../api/page-facts.ts";
import { agentPath, remove, sendJson } from "../api/request.ts";
import { Trouble } from "../kit/trouble.tsx";
import { whenText } from "../kit/when.ts";
import { NoteForm } from "./note-form.tsx";

type Note = NoteListAnswer["notes"][number];

/** A note: read, changed, forgotten. Forgetting asks once more, in the same place. */
export function NoteCard({ note }: { readonly note: Note }) {
  const { agent } = useFacts();
  const { busy, problem, run, clear } = useAct();
  const [doing, setDoing] = useState<"reading" | "editing" | "forgetting">("reading");
  const path = agentPath(agent.name, "memory", note.id);
  const become = (next: typeof doing) => {
    clear();
    setDoing(next);
  };
  return (
    <article className="rounded-xl border border-line bg-card p-4">
      {doing === "editing" ? (
        <NoteForm
          label="Change the note"
          initial={note.text}
          busy={busy}
          problem={problem}
          onSave={async (text) => {
            if (await run(() => sendJson(path, { text }, { method: "PATCH" }))) become("reading");
          }}
          onCancel={() => become("reading")}
        />
      ) : (
        <>
          <LongText text={note.text} max={1000} />
          <div className="mt-2 flex flex-wrap items-center justify-between gap-2">
            <p className="text-soft text-xs">
              {whenText(note.at)}
              {note.tainted && " · noted while text from somebody else was read"}
            </p>
            {doing === "reading" ? (
              <span className="-my-1 flex gap-1">
                <Button kind="quiet" onClick={() => become("editing")}>
                  Edit
                </Button>
                <Button kind="quiet" onClick={() => become("forgetting")}>
                  Forget
                </Button>
              </span>
            ) : (
              <span className="flex flex-wrap items-center gap-2 text-sm">
                Forget this note?
                <Button kind="danger" disabled={busy} autoFocus onClick={() => run(() => remove(path))}>
                  Forget
                </Button>
                <Button onClick={() => become("reading")}>Cancel</Button>
              </span>
            )}
          </div>
          {problem && <Trouble problem={problem} />}
        </>
      )}
    </article>
  );
}
