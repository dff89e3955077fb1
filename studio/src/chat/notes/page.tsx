import type { NoteListAnswer } from "charter/answers";
import { useState } from "react";
import { Button, Input, useTyped } from "../../kit/field.tsx";
import { useFacts } from "../api/page-facts.ts";
import { refresh, useRead } from "../api/read.ts";
import { agentPath } from "../api/request.ts";
import { Empty, Loading, Page } from "../kit/page.tsx";
import { Trouble } from "../kit/trouble.tsx";
import { NewNote } from "./new-note.tsx";
import { NoteCard } from "./note-card.tsx";

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
      {problem && <Trouble problem={problem} again={refresh} />}
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
