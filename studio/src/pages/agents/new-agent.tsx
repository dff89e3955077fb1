import type { AgentListAnswer, CharterListAnswer } from "charter/answers";
import { useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { sendJson, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Field, Input, Options, Select } from "../../kit/field.tsx";
import { ModelsField } from "./models.tsx";
import { FieldControl, fieldsFor, problemField, type SettingField } from "./setting-field.tsx";
import { namesOf, type Settings } from "./setup.ts";

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

type Choosing = { readonly charter: string; readonly onCharter: (charter: string) => void };

/** The charters the server brings along, each with its sentence; and the file an agent has already. */
export function useCharters(charter: string) {
  const { data, error } = useApi<CharterListAnswer>("/charters");
  const known = data?.charters ?? [];
  const own = charter === "" || known.some(({ name }) => name === charter);
  return {
    error,
    usual: data?.usual ?? "",
    charters: own
      ? known
      : [{ name: charter, says: "A charter of your own, from a file.", template: {}, reads: [] }, ...known],
  };
}

/** All of them to choose from, for whoever does not know them yet. */
function CharterChoice({ charter, onCharter }: Choosing) {
  const { charters, error } = useCharters(charter);
  return (
    <>
      <Trouble problem={error} />
      <Options
        label="Template"
        name="charter"
        of={charters.map(({ name, says }) => [name, name, says] as const)}
        chosen={charter}
        onChoose={onCharter}
      />
    </>
  );
}

/** The same on one line, for whoever has chosen. */
export function CharterSelect({ charter, onCharter }: Choosing) {
  const { charters, error } = useCharters(charter);
  return (
    <>
      <Field label="Charter" hint={charters.find(({ name }) => name === charter)?.says}>
        <Select value={charter} onChange={({ target }) => onCharter(target.value)}>
          {charters.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </Field>
      <Trouble problem={error} />
    </>
  );
}

const form = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}])?$/u;

/** What is wrong with the name of a new agent, as it is typed. Undefined: nothing; an empty one is not yet wrong. */
export function nameFault(name: string, taken: readonly string[]): string | undefined {
  if (name === "") return undefined;
  if (taken.includes(name)) return `There is an agent “${name}” already, or there was one. Names are used once.`;
  if ([...name].length > 200) return "At most 200 characters.";
  if (form.test(name)) return undefined;
  return "Letters, digits, “-”, “_” and “.”, with a letter or a digit at both ends: no spaces.";
}

/** A name nobody has yet for the copy of an agent. */
export function copyName(name: string, taken: readonly string[]): string {
  const base = name
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .slice(0, 190)
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, "");
  const first = `${base === "" ? "agent" : base}-copy`;
  for (let count = 1; ; count++) {
    const found = count === 1 ? first : `${first}-${count}`;
    if (!taken.includes(found)) return found;
  }
}
