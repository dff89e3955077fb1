import type { NoteListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Loading, Page, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { useAsked, usePlace } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Button, Field, Input, useTyped } from "../../kit/field.tsx";
import { NewNote } from "./new-note.tsx";
import { NoNotes } from "./no-notes.tsx";
import { NoteCard } from "./note-card.tsx";
import { OneNote } from "./one-note.tsx";

const size = 50;

const found: Readonly<Record<NonNullable<NoteListAnswer["by"]>, string>> = {
  "all-words": "with all the words, the best first",
  "any-word": "with at least one of the words, the best first",
  substring: "with the letters somewhere in them, the newest first",
  similar: "with words like these, the best first",
  meaning: "that mean something like it, the nearest first",
};

/** What an agent keeps outside the prompt, of its own or with a user (`?user=`), searched while one types (`?query=`). */
export default function MemoryPage() {
  const { agent } = usePlace();
  const [asked, setAsked] = useAsked();
  const user = asked("user");
  const query = (asked("query") ?? "").trim();
  const [words, type] = useTyped(asked("query") ?? "", (query) =>
    setAsked({ query, from: undefined, note: undefined }),
  );
  const { from, ...stretch } = useStretch(size);
  const note = asked("note");
  const path = withQuery(`/agents/${encodeName(agent)}/memory`, note ? { user, note } : { user, query, ...stretch });
  const { data, error, refetch, isPlaceholderData } = useApi<NoteListAnswer>(path);
  const close = () => setAsked({ new: undefined });
  return (
    <Page
      title="Notes"
      about={`Notes that “${agent}” keeps outside the prompt and reads with a tool when it needs them.`}
      actions={
        <Button kind="primary" onClick={() => setAsked({ new: "note" }, { replace: false })}>
          Add a note
        </Button>
      }
    >
      <div className="mb-4 grid gap-3 sm:grid-cols-[16rem_minmax(0,32rem)]">
        <UserChoice
          agent={agent}
          user={user}
          onUser={(chosen) => setAsked({ user: chosen, from: undefined, note: undefined })}
          label="User"
          nobody="none: the agent’s own notes"
        />
        <Field label="Search" hint="“Quoted words” stay together; -word leaves notes out.">
          <Input
            type="search"
            dir="auto"
            value={words}
            onChange={({ target }) => type(target.value)}
            placeholder="words to look for"
            autoComplete="off"
          />
        </Field>
      </div>
      {note && <OneNote isThere={data?.notes.length !== 0 || isPlaceholderData} agent={agent} user={user} />}
      {error && <Trouble problem={error} again={() => void refetch()} />}
      {!error && (!data || (isPlaceholderData && data.notes.length === 0)) && <Loading />}
      <p role="status" className={`text-sm text-soft ${data?.by ? "mb-2" : ""}`}>
        {data?.by && data.notes.length > 0 && !isPlaceholderData && `Found ${found[data.by]}.`}
      </p>
      {data?.notes.length === 0 && !isPlaceholderData && !note && <NoNotes agent={agent} user={user} query={query} />}
      {data && (
        <ul className={`space-y-2 ${isPlaceholderData ? "opacity-60" : ""}`}>
          {data.notes.map((note) => (
            <NoteCard key={note.id} agent={agent} note={note} />
          ))}
        </ul>
      )}
      {data && (
        <Pager from={from} isBefore={isPlaceholderData} shown={data.notes.length} size={size} more={data.more} />
      )}
      <NewNote key={user ?? ""} agent={agent} user={user} open={asked("new") !== undefined} onClose={close} />
    </Page>
  );
}
