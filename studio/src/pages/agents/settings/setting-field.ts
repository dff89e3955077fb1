import { canSet, type Path, type Settings, valueAt } from "./path.ts";

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

const own: readonly SettingField[] = [
  {
    path: ["original", "identity", "name"],
    label: "Name it goes by",
    group: "words",
    kind: "line",
    section: "identity",
  },
  {
    path: ["original", "identity", "description"],
    label: "What it is",
    hint: "As in “a personal operations assistant”.",
    group: "words",
    kind: "line",
    section: "identity",
  },
  {
    path: ["original", "identity", "vibe"],
    label: "How it sounds",
    group: "words",
    kind: "line",
    section: "identity",
  },
  {
    path: ["original", "soul"],
    label: "Soul",
    hint: "How it behaves, in Markdown.",
    group: "words",
    kind: "text",
    section: "soul",
  },
  {
    path: ["original"],
    label: "Prompt",
    hint: "Its opening is protected; the agent edits the rest itself.",
    group: "words",
    kind: "text",
    section: "prompt",
  },
  {
    path: ["settings", "max_size_bytes"],
    label: "Longest prompt, in bytes",
    hint: "8,000 unless set.",
    group: "limits",
    kind: "number",
  },
  {
    path: ["settings", "protected_prefix_chars"],
    label: "Protected opening, in characters",
    hint: "200 unless set.",
    group: "limits",
    kind: "number",
  },
  { path: ["soul"], label: "Soul", hint: "One line, at most 80 characters.", group: "words", kind: "line" },
  {
    path: ["place", "runtime"],
    label: "What runs it",
    group: "words",
    kind: "choice",
    choices: [
      ["charter", "Charter"],
      ["internet-computer", "The Internet Computer"],
    ],
  },
  {
    path: ["place", "key"],
    label: "Who holds the key of its wallet",
    group: "words",
    kind: "choice",
    choices: [
      ["operator", "Its operator"],
      ["threshold", "Nobody: threshold ECDSA signs"],
    ],
  },
  {
    path: ["place", "tools"],
    label: "What its tools can do",
    group: "words",
    kind: "choice",
    choices: [
      ["listed", "What is listed in its prompt"],
      ["base", "All a wallet on Base can"],
    ],
  },
  {
    path: ["reserve"],
    label: "Budget it keeps back, in millionths of a dollar",
    group: "limits",
    kind: "number",
  },
  { path: ["base"], label: "What the host says", group: "words", kind: "text" },
  { path: ["operator"], label: "What the operator says", group: "words", kind: "text", section: "operator" },
  {
    path: ["memory", "relays"],
    label: "Relays of its core memory, one a line",
    hint: "As in wss://relay.example.org.",
    group: "memory",
    kind: "lines",
  },
  {
    path: ["memory", "owner"],
    label: "Owner’s public key",
    hint: "npub1… or 64 hex characters.",
    group: "memory",
    kind: "line",
  },
  {
    path: ["memory", "key"],
    label: "Name of its key",
    hint: "As under “keys” in charter.config.ts. Never the key itself.",
    group: "memory",
    kind: "line",
  },
  { path: ["cwd"], label: "Directory it works in", group: "words", kind: "line" },
  { path: ["system"], label: "System prompt", hint: "In place of SYSTEM.md.", group: "words", kind: "text" },
  {
    path: ["append"],
    label: "Added to the system prompt",
    hint: "In place of APPEND_SYSTEM.md.",
    group: "words",
    kind: "text",
  },
];

const common: readonly SettingField[] = [
  {
    path: ["window"],
    label: "Largest request, in tokens",
    hint: "From 1,000 up. Empty: what the model takes.",
    group: "limits",
    kind: "number",
  },
  { path: ["attachments", "maxCount"], label: "Most attachments of a message", group: "limits", kind: "number" },
  { path: ["attachments", "maxBytes"], label: "Largest attachment, in bytes", group: "limits", kind: "number" },
  {
    path: ["sessions", "idleHours"],
    label: "Hours until a new session begins",
    hint: "After so many hours without a message.",
    group: "memory",
    kind: "number",
  },
  {
    path: ["sessions", "across"],
    label: "One session for all of a user’s channels",
    group: "memory",
    kind: "flag",
  },
  {
    path: ["zone"],
    label: "Time zone",
    hint: "Of users who have set none, as in Europe/Berlin.",
    group: "other",
    kind: "line",
  },
  {
    path: ["edition"],
    label: "Edition of the prompt",
    group: "other",
    kind: "choice",
    choices: [
      ["full", "Full"],
      ["compact", "Compact"],
    ],
  },
  {
    path: ["secondOpinion"],
    label: "Model for second opinions",
    hint: "Reviews the changes that the agent and its users propose. Without it, only a list of known phrasings is looked for.",
    group: "other",
    kind: "model",
  },
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
