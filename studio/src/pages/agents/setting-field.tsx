import type { ErrorBody } from "charter/answers";
import type { ReactNode } from "react";
import { Input, Select, Textarea } from "../../kit/field.tsx";
import { ModelSelect, ModelTest, useModels } from "./models.tsx";
import { canSet, type Path, type Settings, valueAt, withValue } from "./setup.ts";

export type FieldControlProps = {
  readonly field: SettingField;
  readonly settings: Settings;
  readonly onSettings: (settings: Settings) => void;
  /** What the server said of it. */
  readonly fault?: { readonly message: string; readonly hint: string } | undefined;
  /** What stands under it besides its hint. */
  readonly children?: ReactNode;
};

/** One setting in a field: it shows what the settings say, and changes nothing else of them. */
export function FieldControl({ field, settings, onSettings, fault, children }: FieldControlProps) {
  const { label, hint, kind } = field;
  const shown = shownIn(settings, field);
  const set = (typed: string | boolean) => onSettings(withValue(settings, field.path, typedIn(field, typed)));
  const name = field.path.join(".");
  const about = (
    <>
      {hint && <span className="mt-0.5 block text-soft text-xs">{hint}</span>}
      {children}
      {fault && (
        <span role="alert" className="mt-0.5 block text-sm [overflow-wrap:anywhere]">
          <span className="text-bad">{fault.message}</span> <span className="text-soft">{fault.hint}</span>
        </span>
      )}
    </>
  );
  if (shown === undefined)
    return (
      <div className="min-w-0">
        <span className="mb-0.5 block text-soft text-xs">{label}</span>
        <p className="text-sm">
          <code>{name}</code> has a form that no field shows. Change it as JSON.
        </p>
        {about}
      </div>
    );
  if (typeof shown === "boolean")
    return (
      <div className="min-w-0">
        <label className="flex items-start gap-2.5 text-sm">
          <input
            type="checkbox"
            checked={shown}
            onChange={({ target }) => set(target.checked)}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span>{label}</span>
        </label>
        {about}
      </div>
    );
  if (kind === "model")
    return (
      <div className="grid min-w-0 gap-1.5">
        <span aria-hidden="true" className="-mb-1 text-soft text-xs">
          {label}
        </span>
        <OneModel label={label} name={shown} onName={set} />
        {about}
      </div>
    );
  const shared = { "aria-invalid": fault !== undefined, value: shown, dir: "auto" as const };
  return (
    <div className="min-w-0">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is within. */}
      <label className="block">
        <span className="mb-0.5 block text-soft text-xs">{label}</span>
        {kind === "text" || kind === "lines" ? (
          <Textarea
            {...shared}
            rows={kind === "lines" ? 3 : rowsFor(shown)}
            onChange={({ target }) => set(target.value)}
          />
        ) : kind === "choice" ? (
          <Select {...shared} onChange={({ target }) => set(target.value)}>
            <option value="">Automatic</option>
            {field.choices?.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
        ) : (
          <Input
            {...shared}
            inputMode={kind === "number" ? "numeric" : "text"}
            autoComplete="off"
            onChange={({ target }) => set(target.value)}
          />
        )}
      </label>
      {about}
    </div>
  );
}

/** As high as its text, within reason. */
function rowsFor(text: string): number {
  return Math.min(18, Math.max(4, text.split("\n").length + 1));
}

function OneModel({
  label,
  name,
  onName,
}: {
  readonly label: string;
  readonly name: string;
  readonly onName: (name: string) => void;
}) {
  const { models, byName } = useModels();
  return (
    <>
      <ModelSelect label={label} name={name} onName={onName} models={models} none="None" />
      {name !== "" && <ModelTest name={name} known={byName.get(name)} />}
    </>
  );
}

/** What stands together on the form. */
export type FieldGroup = "words" | "limits" | "memory" | "other";

/** A setting that has a field of its own. All others are changed as JSON. */
export type SettingField = {
  readonly path: Path;
  readonly label: string;
  readonly hint?: string;
  readonly group: FieldGroup;
  /** A line, a long text, a number, one of a few, yes or no, lines of a list, the name of a model. */
  readonly kind: "line" | "text" | "number" | "choice" | "flag" | "lines" | "model";
  readonly choices?: readonly (readonly [value: string, words: string])[];
  /** The section whose original it is. */
  readonly section?: string;
};

type More = Pick<SettingField, "hint" | "choices" | "section">;

const field = (
  group: FieldGroup,
  kind: SettingField["kind"],
  path: string,
  label: string,
  more: More = {},
): SettingField => ({ path: path.split("."), label, group, kind, ...more });

const runtimes = [
  ["charter", "Charter"],
  ["internet-computer", "The Internet Computer"],
] as const;
const keyHolders = [
  ["operator", "Its operator"],
  ["threshold", "Nobody: threshold ECDSA signs"],
] as const;
const toolRanges = [
  ["listed", "What is listed in its prompt"],
  ["base", "All a wallet on Base can"],
] as const;
const editions = [
  ["full", "Full"],
  ["compact", "Compact"],
] as const;

const own: readonly SettingField[] = [
  field("words", "line", "original.identity.name", "Name it goes by", { section: "identity" }),
  field("words", "line", "original.identity.description", "What it is", {
    hint: "As in “a personal operations assistant”.",
    section: "identity",
  }),
  field("words", "line", "original.identity.vibe", "How it sounds", { section: "identity" }),
  field("words", "text", "original.soul", "Soul", { hint: "How it behaves, in Markdown.", section: "soul" }),
  field("words", "text", "original", "Prompt", {
    hint: "Its opening is protected; the agent edits the rest itself.",
    section: "prompt",
  }),
  field("limits", "number", "settings.max_size_bytes", "Longest prompt, in bytes", { hint: "8,000 unless set." }),
  field("limits", "number", "settings.protected_prefix_chars", "Protected opening, in characters", {
    hint: "200 unless set.",
  }),
  field("words", "line", "soul", "Soul", { hint: "One line, at most 80 characters." }),
  field("words", "choice", "place.runtime", "What runs it", { choices: runtimes }),
  field("words", "choice", "place.key", "Who holds the key of its wallet", { choices: keyHolders }),
  field("words", "choice", "place.tools", "What its tools can do", { choices: toolRanges }),
  field("limits", "number", "reserve", "Budget it keeps back, in millionths of a dollar"),
  field("words", "text", "base", "What the host says"),
  field("words", "text", "operator", "What the operator says", { section: "operator" }),
  field("memory", "lines", "memory.relays", "Relays of its core memory, one a line", {
    hint: "As in wss://relay.example.org.",
  }),
  field("memory", "line", "memory.owner", "Owner’s public key", { hint: "npub1… or 64 hex characters." }),
  field("memory", "line", "memory.key", "Name of its key", {
    hint: "As under “keys” in charter.config.ts. Never the key itself.",
  }),
  field("words", "line", "cwd", "Directory it works in"),
  field("words", "text", "system", "System prompt", { hint: "In place of SYSTEM.md." }),
  field("words", "text", "append", "Added to the system prompt", { hint: "In place of APPEND_SYSTEM.md." }),
];

const common: readonly SettingField[] = [
  field("limits", "number", "window", "Largest request, in tokens", {
    hint: "From 1,000 up. Empty: what the model takes.",
  }),
  field("limits", "number", "attachments.maxCount", "Most attachments of a message"),
  field("limits", "number", "attachments.maxBytes", "Largest attachment, in bytes"),
  field("memory", "number", "sessions.idleHours", "Hours until a new session begins", {
    hint: "After so many hours without a message.",
  }),
  field("memory", "flag", "sessions.across", "One session for all of a user’s channels"),
  field("other", "line", "zone", "Time zone", { hint: "Of users who have set none, as in Europe/Berlin." }),
  field("other", "choice", "edition", "Edition of the prompt", { choices: editions }),
  field("other", "model", "secondOpinion", "Model for second opinions", {
    hint: "Reviews the changes that the agent and its users propose. Without it, only a list of known phrasings is looked for.",
  }),
];

/** The fields of an agent whose charter reads these settings besides the common ones; one of your own does not say. */
export function fieldsFor(reads: readonly string[] = []): readonly SettingField[] {
  return [...own.filter(({ path }) => reads.includes(path.join("."))), ...common];
}

/** What a field shows; undefined: the setting is of another form, and only JSON shows it whole. */
export function shownIn(settings: Settings, { path, kind, choices = [] }: SettingField): string | boolean | undefined {
  if (!canSet(settings, path)) return undefined;
  const value = valueAt(settings, path);
  if (kind === "flag") return typeof value === "boolean" || value === undefined ? value === true : undefined;
  if (value === undefined) return "";
  if (kind === "number" && typeof value === "number") return String(value);
  if (kind === "number" && isNumber(value)) return undefined;
  if (kind === "lines")
    return Array.isArray(value) && value.every((one) => typeof one === "string" && !one.includes("\n"))
      ? value.join("\n")
      : undefined;
  if (kind === "choice") return choices.some(([one]) => one === value) ? (value as string) : undefined;
  // Line ends of a text field are one character: others would be changed by showing them.
  const plain = typeof value === "string" && !/\r/.test(value) && (kind === "text" || !value.includes("\n"));
  return plain ? (value as string) : undefined;
}

/** The value that was typed into a field; undefined: the setting goes. What is no number stays as typed, for the server to refuse. */
export function typedIn({ kind }: SettingField, typed: string | boolean): unknown {
  if (typeof typed === "boolean") return typed ? true : undefined;
  if (typed === "") return undefined;
  if (kind === "number") return isNumber(typed) ? Number(typed) : typed;
  return kind === "lines" ? typed.split("\n") : typed;
}

/** A number as it is written: what is on its way to one is not yet. */
function isNumber(typed: unknown): boolean {
  return typeof typed === "string" && Number.isFinite(Number(typed)) && String(Number(typed)) === typed;
}

/** The field that a refusal is about: one of the form's own, or a setting by its path. Undefined: none that is shown. */
export function problemField(
  { code, message }: Pick<ErrorBody["error"], "code" | "message">,
  fields: readonly SettingField[],
): string | undefined {
  const own = ofCodes.find(([codes]) => codes.includes(code))?.[1];
  if (own !== undefined) return own;
  const named = [...message.matchAll(/“([^”]+)”/g)].map(([, name]) => name as string);
  const keys = fields.map(({ path }) => path.join("."));
  for (const name of named) {
    const found =
      keys.find((key) => key === name) ?? keys.find((key) => key.startsWith(`${name}.`) || name.startsWith(`${key}[`));
    if (found !== undefined) return found;
  }
  return undefined;
}

const ofCodes: readonly (readonly [codes: readonly string[], field: string])[] = [
  [["bad-name", "agent-exists", "agent-removed"], "name"],
  [["bad-label"], "label"],
  [["unknown-model", "bad-model"], "models"],
  [["unknown-charter", "not-allowed"], "charter"],
];
