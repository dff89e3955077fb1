import type { AgentListAnswer } from "charter/answers";
import { useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { sendJson, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { placeOf } from "../../app/place.ts";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Field, Input } from "../../kit/field.tsx";
import { CharterChoice, useCharters } from "./charter-choice.tsx";
import { ModelsField } from "./models/models-field.tsx";
import { nameFault } from "./name-fault.ts";
import { FieldControl } from "./settings/field-control.tsx";
import type { Settings } from "./settings/path.ts";
import { problemField } from "./settings/problem-field.ts";
import { fieldsFor, type SettingField } from "./settings/setting-field.ts";
import { namesOf } from "./settings/setup.ts";

type Draft = {
  readonly name: string;
  readonly charter: string;
  readonly models: readonly string[];
  /** What was typed over each template. */
  readonly settings: Readonly<Record<string, Settings>>;
};

/** The names that are or were an agent's. */
export function useTakenNames(): readonly string[] {
  const { data } = useApi<AgentListAnswer>(withQuery("/agents", { limit: 1000, removed: "true" }));
  return data?.agents.map(({ name }) => name) ?? [];
}

/** A new agent from a template, whose words are edited before it is created. */
export function NewAgent({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [, go] = useLocation();
  const [kept, setDraft, settled] = useDraft<Draft>(placeOfDraft("new-agent"));
  const { usual, charters } = useCharters("");
  const taken = useTakenNames();
  // Whoever typed a name before the charters were known has chosen none.
  const draft: Draft = { name: "", models: [], settings: {}, ...kept, charter: kept?.charter || usual };
  const { template = {}, reads } = charters.find(({ name }) => name === draft.charter) ?? {};
  const settings = draft.settings[draft.charter] ?? template;
  const fields = fieldsFor(reads).filter(({ group }) => group === "words");
  const opinion = fieldsFor().filter(({ path }) => path[0] === "secondOpinion");
  const fault = nameFault(draft.name, taken);
  const act = useAct();
  const error = act.problem?.error;
  const at = error && problemField(error, [...fields, ...opinion]);
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const add = async () => {
    const { name, charter } = draft;
    const models = namesOf(draft);
    const body = { name, charter, settings, ...(models.length === 0 ? {} : { model: models }) };
    if ((await act.run(() => sendJson("/agents", body))) === undefined) return;
    // Whoever went on or typed on meanwhile is not led away.
    if (settled(kept) && location.pathname === "/home") go(placeOf(name, "prompt"));
  };
  const controlOf = (field: SettingField) => (
    <FieldControl
      key={`${draft.charter} ${field.path.join(".")}`}
      field={field}
      settings={settings}
      onSettings={(next) => set({ settings: { ...draft.settings, [draft.charter]: next } })}
    />
  );
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Create agent"
      about="Choose a template and edit its texts. Everything but the name can be changed later."
      act={at === "models" ? { busy: act.busy, problem: undefined } : act}
      does="Create agent"
      ready={draft.name !== "" && draft.charter !== "" && fault === undefined}
      onSubmit={add}
    >
      <Field label="Name" hint="Used in addresses and commands. It cannot be changed later.">
        <Input
          required
          dir="auto"
          maxLength={200}
          aria-invalid={fault !== undefined}
          value={draft.name}
          onChange={({ target }) => set({ name: target.value })}
          placeholder="ada"
          autoComplete="off"
        />
      </Field>
      {fault && (
        <p role="alert" className="text-bad text-sm [overflow-wrap:anywhere]">
          {fault}
        </p>
      )}
      <CharterChoice charter={draft.charter} onCharter={(charter) => set({ charter })} />
      {fields.map(controlOf)}
      <ModelsField
        models={draft.models}
        onModels={(models) => set({ models })}
        fault={at === "models" ? error : undefined}
      />
      {opinion.map(controlOf)}
    </FormDialog>
  );
}
