import type { NoteListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, sendJson, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { Empty, Loading, Page, Pager, Trouble, useStretch } from "../../app/page.tsx";
import { placeOf, useAsked, usePlace } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Button, Field, Input, Textarea, useTyped } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { NoteCard } from "./note-card.tsx";

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
      hint={`Notes that “${agent}” keeps outside the prompt and reads with a tool when it needs them.`}
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
      <Trouble problem={error} again={() => void refetch()} />
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

type Draft = { readonly words: string; readonly key: string };

const blank: Draft = { words: "", key: "" };

export function NewNote({
  agent,
  user,
  open,
  onClose,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const [kept, setDraft, settled] = useDraft<Draft>(placeOfDraft("note", agent, user ?? null));
  const draft = kept ?? blank;
  const act = useAct();
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const save = async () => {
    const key = draft.key.trim();
    const body = {
      text: draft.words,
      ...(key === "" ? {} : { key }),
      ...(user === undefined ? {} : { user }),
    };
    const saved = await act.run(() => sendJson(`/agents/${encodeName(agent)}/memory`, body));
    if (saved === undefined) return;
    if (settled(draft)) onClose();
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={user === undefined ? `New note of “${agent}” itself` : `New note about “${user}”`}
      about="The agent finds it when it searches its notes."
      act={act}
      does="Save note"
      ready={draft.words.trim() !== ""}
      onSubmit={save}
    >
      <Field label="Text">
        <Textarea
          required
          rows={5}
          dir="auto"
          value={draft.words}
          onChange={({ target }) => set({ words: target.value })}
        />
      </Field>
      <Field label="Key (optional)" hint="The name of a fact. Saving another note with the same key replaces this one.">
        <Input
          dir="auto"
          maxLength={200}
          value={draft.key}
          onChange={({ target }) => set({ key: target.value })}
          autoComplete="off"
        />
      </Field>
    </FormDialog>
  );
}

type NoNotesProps = { readonly agent: string; readonly user: string | undefined; readonly query: string };

/** Why there is nothing here, and where there may be something. */
export function NoNotes({ agent, user, query }: NoNotesProps) {
  if (query !== "")
    return <Empty title="No notes found">No note has these words, or words like them. Try fewer letters.</Empty>;
  return (
    <Empty title={user === undefined ? `“${agent}” keeps no notes of its own` : `No notes about “${user}”`}>
      The agent saves notes when it is{" "}
      <TextLink href={placeOf(agent, "chat", undefined, { user })}>asked to remember something</TextLink>.
      {user === undefined && " Those about a user are listed when the user is chosen above."}
    </Empty>
  );
}

type OneNoteProps = { readonly agent: string; readonly user: string | undefined; readonly isThere: boolean };

/** Above the one note that the address names: that there are others, or that this one is gone. */
export function OneNote({ agent, user, isThere }: OneNoteProps) {
  return (
    <p role="status" className="mb-2 flex flex-wrap gap-x-3 text-sm text-soft">
      <span>
        {isThere ? "You see one note." : "This note is not here: it was deleted or replaced, or it is someone else’s."}
      </span>
      <TextLink href={placeOf(agent, "memory", undefined, { user })}>
        {user === undefined ? "Show all notes of the agent" : "Show all notes about this user"}
      </TextLink>
      {!isThere && user !== undefined && (
        <TextLink href={placeOf(agent, "memory")}>Show the agent’s own notes</TextLink>
      )}
    </p>
  );
}
