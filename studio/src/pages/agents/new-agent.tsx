import { useLocation } from "wouter";
import { sendJson } from "../../api/request.ts";
import { FormDialog } from "../../app/form-dialog.tsx";
import { placeOf } from "../../app/place.ts";
import { useAct } from "../../app/use-act.ts";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Field, Input } from "../../kit/field.tsx";
import { CharterChoice, useCharters } from "./charter-choice.tsx";

type Draft = { readonly name: string; readonly charter: string; readonly model: string };

/** Whoever has made an agent is led to its prompt. */
export function NewAgent({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [, go] = useLocation();
  const [kept, setDraft, settled] = useDraft<Draft>(placeOfDraft("agent"));
  const { usual } = useCharters("");
  // Whoever typed a name before the charters were known has chosen none.
  const draft = { name: "", model: "", ...kept, charter: kept?.charter || usual };
  const act = useAct();
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const add = async () => {
    const { name, charter } = draft;
    const model = draft.model.trim();
    const added = await act.run(() => sendJson("/agents", { name, charter, ...(model === "" ? {} : { model }) }));
    if (added === undefined) return;
    // Whoever went on or typed on meanwhile is not led away.
    if (settled(kept) && location.pathname === "/agents") go(placeOf(name, "prompt"));
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="New agent"
      about="A name, a charter and a model. All but the name can be changed later."
      act={act}
      does="Make the agent"
      ready={draft.name !== "" && draft.charter !== ""}
      onSubmit={add}
    >
      <Field label="Name" hint="Letters, digits, “-”, “_” and “.”; a letter or a digit at both ends.">
        <Input
          required
          dir="auto"
          maxLength={200}
          value={draft.name}
          onChange={({ target }) => set({ name: target.value })}
          placeholder="ada"
          autoComplete="off"
        />
      </Field>
      <CharterChoice charter={draft.charter} onCharter={(charter) => set({ charter })} />
      <Field label="Model" hint="As provider/model, like “openai/gpt-5”; empty is the server’s own default.">
        <Input value={draft.model} onChange={({ target }) => set({ model: target.value })} autoComplete="off" />
      </Field>
    </FormDialog>
  );
}
