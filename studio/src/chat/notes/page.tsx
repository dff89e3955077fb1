import type { NoteListAnswer } from "charter/answers";
import { Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { ApiProblem } from "../../kit/door.ts";
import { Button, Input, useTyped } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { refresh, useFacts, useRead } from "../api/read.ts";
import { agentPath, remove, sendJson, useAct } from "../api/request.ts";
import { Empty, Loading, Page, Trouble, whenText } from "../kit/page.tsx";

const stretch = 50;

/** What the agent has noted about this user: found, changed, forgotten. */
export function NotesPage() {
  const { agent } = useFacts();
  const [query, setQuery] = useState("");
  const [words, type] = useTyped(query, setQuery);
  const [limit, setLimit] = useState(stretch);
  const asked = new URLSearchParams({ limit: String(limit), ...(query.trim() === "" ? {} : { query: query.trim() }) });
  const { data, problem } = useRead<NoteListAnswer>(`${agentPath(agent.name, "memory")}?${asked}`);
  return (
    <Page title="Notes" about="What the assistant has noted for you. It looks them up when they help.">
      <div className="mb-4 space-y-3">
        <Input
          type="search"
          aria-label="Search your notes"
          placeholder="Search your notes"
          value={words}
          onChange={({ target }) => type(target.value)}
          className="min-h-11 rounded-xl px-4"
        />
        <NewNote />
      </div>
      <Trouble problem={problem} again={refresh} />
      {!data && !problem && <Loading />}
      {data && data.notes.length === 0 && query.trim() === "" && (
        <Empty title="No notes yet">Tell the assistant to remember something, or add a note yourself.</Empty>
      )}
      {data && data.notes.length === 0 && query.trim() !== "" && (
        <Empty title="No note was found">Try other words, or fewer.</Empty>
      )}
      <ul aria-label="Notes" className="space-y-2">
        {data?.notes.map((note) => (
          <li key={note.id}>
            <NoteCard note={note} />
          </li>
        ))}
      </ul>
      {data?.more && (
        <Button kind="quiet" className="mt-3" onClick={() => setLimit(Math.min(1000, limit + 2 * stretch))}>
          Show more
        </Button>
      )}
    </Page>
  );
}

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
          <Trouble problem={problem} />
        </>
      )}
    </article>
  );
}

type NoteFormProps = {
  readonly label: string;
  readonly initial?: string;
  readonly busy: boolean;
  readonly problem: ApiProblem | undefined;
  readonly onSave: (text: string) => Promise<void>;
  readonly onCancel: () => void;
};

/** Where a note is written. */
function NoteForm({ label, initial = "", busy, problem, onSave, onCancel }: NoteFormProps) {
  const [text, setText] = useState(initial);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        void onSave(text.trim());
      }}
    >
      <textarea
        ref={box}
        aria-label={label}
        dir="auto"
        rows={3}
        readOnly={busy}
        value={text}
        onChange={({ target }) => setText(target.value)}
        className="w-full rounded-lg border border-line bg-paper px-3 py-2 leading-6"
      />
      <Trouble problem={problem} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" disabled={busy || text.trim() === ""}>
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
