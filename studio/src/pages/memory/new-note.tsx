import { encodeName, sendJson } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Field, Input, Textarea } from "../../kit/field.tsx";

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
