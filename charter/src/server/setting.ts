import { type McpEntry, serverName } from "../agent/mcp/mcp-entry.ts";
import { isKeyName } from "../charters/resident/resident.ts";
import type { AcpEntry } from "../delivery/acp/entry.ts";
import {
  areWords,
  badSetting,
  checkFields,
  type FieldChecks,
  hasTexts,
  isAddress,
  isRecord,
  isWord,
  type SettingPlace,
} from "../prompt/argument.ts";
import { listed, Problem } from "../prompt/problem.ts";

/** Values a setting may have. */
type Kind<Value> = {
  readonly fits: (value: unknown) => value is Value;
  /** Description of the expected form, for errors. */
  readonly wants?: string;
  /** Parses the text of a variable or an option. */
  readonly read?: (words: string) => unknown;
  /** Names what is wrong in a value with fields of its own. */
  readonly check?: (value: unknown, place: string) => void;
};

/** Variables for the fields of a setting. It is set when one of `needs` is; `adds` combines it with the file's. */
type FieldVariables = {
  readonly fields: Readonly<Record<string, string>>;
  readonly needs: readonly string[];
  readonly adds?: true;
};

/** A setting of `charter.config.ts`: its values, where it applies, and what overrides it. */
type Setting<Value = unknown> = Kind<Value> & {
  /** Scope of the setting: `turns` are taken by `charter chat` and `acp` too; `service` is `start`, `serve` and `work` alone. */
  readonly holds: "turns" | "service";
  readonly env?: string | FieldVariables;
  readonly option?: { readonly type: "string"; readonly short?: string } | { readonly type: "boolean" };
};

/** Settings by name. The comment before each says what it is for; editors and docs/assistant.md show it. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** Type of an object with these settings. */
export type SettingsOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends Kind<infer Value> ? Value : never;
};

/** Options that override settings, as they were typed. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly option: object } ? Name : never]?:
    | (Table[Name] extends { readonly option: { readonly type: "boolean" } } ? boolean : string)
    | undefined;
};

const isFilled = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isPort = (value: unknown): value is number => isWhole(value) && value <= 65_535;

export const text = { fits: isFilled } as const;
export const texts = {
  fits: (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isFilled),
} as const;
export const flag = { fits: (value: unknown): value is boolean => typeof value === "boolean", wants: "true or false" };
export const whole = { fits: isWhole, read: (words: string) => (/^\d+$/.test(words) ? Number(words) : words) } as const;

export const port = {
  fits: isPort,
  wants: "A number, as in 4747",
  read: (words: string) => {
    if (/^\d+$/.test(words) && isPort(Number(words))) return Number(words);
    throw new Problem("usage", `“${words}” is no port.`, "Give a whole number from 0 to 65535; 0 is any that is free.");
  },
} as const;

export const address = {
  fits: (value: unknown): value is string => isFilled(value) && /^https?:\/\/[^/]/.test(value) && URL.canParse(value),
  wants: "A whole address, as in https://charter.example.org",
  read: (words: string) => words.replace(/\/+$/, ""),
} as const;

const otherKind = "It is of another kind";

/** Kind of value that a given function recognises. */
export function fitting<Value>(fits: (value: unknown) => boolean, wants = otherKind) {
  return { fits: fits as (value: unknown) => value is Value, wants };
}

/** Kind of value with a check that throws its own error. */
export function checked<Value>(check: (value: unknown, place: string) => void) {
  return { fits: (_: unknown): _ is Value => true, check };
}

/** Checks settings, and names one that is unknown or of the wrong kind. */
export function checkSettings<Table extends SettingTable>(
  table: Table,
  given: unknown,
  place: string,
): SettingsOf<Table> {
  if (!isRecord(given))
    throw new Problem("bad-config", `${place} exports no object.`, "Write: export default { port: 4747 };");
  for (const [name, value] of Object.entries(given)) {
    const setting = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!setting)
      throw new Problem(
        "bad-config",
        `${place} sets “${name}”, which is not a setting.`.replace(/^the /, "The "),
        `The settings are ${listed(Object.keys(table))}.`,
      );
    if (value === undefined) continue;
    if (!setting.fits(value))
      throw new Problem(
        "bad-config",
        `The setting “${name}” in ${place} is invalid.`,
        `${setting.wants ?? otherKind}: docs/assistant.md#settings.`,
      );
    setting.check?.(value, place);
  }
  return given as SettingsOf<Table>;
}

type Words = Readonly<Record<string, string | undefined>>;

/** Combines settings: the environment overrides the file, and options override both. */
export function settingsOver<Table extends SettingTable>(
  table: Table,
  file: SettingsOf<Table>,
  env: Words,
  options: SettingValues<Table>,
): SettingsOf<Table> {
  const entries = Object.entries(table).map(([name, setting]) => {
    const { env: variables, read = (words: string) => words } = setting;
    if (typeof variables === "object") return [name, fieldsSaid(variables, file[name], env)];
    const option = (options as Readonly<Record<string, string | boolean | undefined>>)[name];
    const words = option ?? (variables && saidIn(env, variables));
    return [name, typeof words === "string" ? read(words) : words];
  });
  const set = entries.filter(([, value]) => value !== undefined);
  return checkSettings(table, { ...file, ...Object.fromEntries(set) }, "the configuration");
}

function fieldsSaid({ fields, needs, adds }: FieldVariables, file: unknown, env: Words): object | undefined {
  const values = Object.entries(fields).flatMap(([field, variable]) => {
    const words = saidIn(env, variable);
    return words === undefined ? [] : [[field, words] as const];
  });
  const isSet = values.some(([field]) => needs.includes(field)) || (adds && file !== undefined);
  return isSet ? { ...(adds ? (file as object) : {}), ...Object.fromEntries(values) } : undefined;
}

function saidIn(env: Words, variable: string): string | undefined {
  return env[variable]?.trim() || undefined;
}

/** Check for a setting with entries of any name. Values never appear in errors, because one may be a key. */
type EntryTable = {
  readonly setting: string;
  readonly isName: (name: string) => boolean;
  readonly naming: string;
  readonly check: (entry: unknown, at: SettingPlace) => void;
  readonly hint: string;
  /** Keeps names out of errors too, because a key may have been written in their place. */
  readonly hidesName?: true;
};

const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isWord);
const isWholeFrom = (value: unknown, least: number) => Number.isSafeInteger(value) && (value as number) >= least;

const path = [isWord, "is no path"] as const;
const trueOrFalse = [(value: unknown) => typeof value === "boolean", "is neither true nor false"] as const;

const permissions = new Set(["allow", "deny", "hold"]);
const kinds = "default read edit delete move search execute think fetch switch_mode other".split(" ");
const isPermission = (value: unknown) => permissions.has(value as string);

const acpFields: FieldChecks<AcpEntry> = {
  command: [areWords, 'is no list of words, as in ["npx", "claude-agent-acp"]'],
  env: [hasTexts, "is no object of texts"],
  cwd: path,
  permissions: [
    (value) =>
      isPermission(value) ||
      (isRecord(value) && Object.entries(value).every(([kind, one]) => kinds.includes(kind) && isPermission(one))),
    `is none of ${listed(permissions)}, nor one of them for each kind of tool (${kinds.join(", ")})`,
  ],
  served: trueOrFalse,
  trusted: trueOrFalse,
  tools: trueOrFalse,
  override: trueOrFalse,
  sizeLimit: [(value) => isWholeFrom(value, 4096), "is no whole number of bytes from 4096 up"],
  turnsPerSession: [(value) => isWholeFrom(value, 1), "is no whole number from 1 up"],
  authenticate: [isWord, "is no id of a way to sign in"],
};

type McpAt<Field extends string> = Extract<McpEntry, Readonly<Record<Field, unknown>>>;

const names = [areTexts, 'is no list of names, as in ["read_*"]'] as const;

const mcpUse = {
  trusted: names,
  reads: [(value) => value === "annotated" || areTexts(value), `${names[1]}, nor "annotated"`],
  harmless: names,
  pin: [(value) => value === "screen" || value === "ask", 'is neither "screen" nor "ask"'],
  seconds: [(value) => typeof value === "number" && value >= 1 && value <= 3600, "is no number from 1 to 3600"],
} satisfies Partial<FieldChecks<McpEntry>>;

const mcpProgram: FieldChecks<McpAt<"command">> = {
  command: [areWords, 'is no list of words, as in ["npx", "server"]'],
  env: [(value) => hasTexts(value) || areTexts(value), "is neither an object of texts nor a list of names"],
  cwd: path,
  ...mcpUse,
};

const mcpAddress: FieldChecks<McpAt<"url">> = {
  url: [isAddress, "is no address that begins with http:// or https://"],
  headers: [hasTexts, "is no object of texts"],
  ...mcpUse,
};

const keyPlaces: Readonly<Record<string, (value: unknown) => boolean>> = {
  file: isPlace,
  env: (value) => isPlace(value) && /^[a-z_][a-z0-9_]*$/i.test(value),
  command: (value) => Array.isArray(value) && value.length > 0 && value.every(isPlace),
};

function isPlace(value: unknown): value is string {
  return isWord(value) && !/nsec1/i.test(value);
}

function saysPlace(entry: unknown): boolean {
  const [[kind, value] = [""], ...others] = isRecord(entry) ? Object.entries(entry) : [];
  return others.length === 0 && Object.hasOwn(keyPlaces, kind) && keyPlaces[kind]?.(value) === true;
}

/** Entries that say how each agent over ACP is started. */
export const acpEntries: EntryTable = {
  setting: "acp",
  isName: (name) => /^[a-z0-9][a-z0-9._-]{0,39}$/i.test(name),
  naming: "name: 1 to 40 letters, digits, “-”, “_”, “.”",
  check: (entry, at) => checkFields(entry, { ...at, fields: acpFields, needs: ["command"] }),
  hint: 'As in acp: { claude: { command: ["claude-agent-acp"] } }: docs/acp.md#settings.',
};

/** Entries that say how each MCP server is reached. */
export const mcpEntries: EntryTable = {
  setting: "mcp",
  isName: (name) => serverName.test(name),
  naming: "name: 1 to 24 small letters, digits and “-”",
  check: (entry, at) => {
    const { command, url } = isRecord(entry) ? entry : { command: entry };
    if ((command === undefined) === (url === undefined))
      throw badSetting(at, "has to have a command or a url, and not both");
    if (url === undefined) checkFields(entry, { ...at, fields: mcpProgram });
    else checkFields(entry, { ...at, fields: mcpAddress });
  },
  hint: 'As in mcp: { notes: { url: "https://…/mcp" } }: docs/mcp.md#settings.',
};

/** Entries that say where each key is. */
export const keyEntries: EntryTable = {
  setting: "keys",
  isName: isKeyName,
  naming: "name of a key: 1 to 40 letters, digits, “-”, “_”, “.”",
  hidesName: true,
  check: (entry, at) => {
    if (!saysPlace(entry)) throw badSetting(at, "does not say where the key is");
  },
  hint: 'As in keys: { ada: { file: "ada.key" } }, or { env: "ADA_NOSTR_KEY" }, or { command: ["pass", "show", "ada"] }; never the key itself: docs/resident.md#keys.',
};

/** Makes a check that names the first invalid entry, or field of one. */
export function checkEntries({ setting, isName, naming, check, hint, hidesName }: EntryTable) {
  return (given: unknown, place: string): void => {
    if (!isRecord(given)) throw badSetting({ name: setting, place, hint }, "is no object");
    for (const [name, entry] of Object.entries(given)) {
      const called = `${hidesName ? "A name" : `“${name}”`} in the setting “${setting}” in ${place}`;
      if (!isName(name)) throw new Problem("bad-config", `${called} is no ${naming}.`, hint);
      check(entry, { name: `${setting}.${name}`, place, hint });
    }
  };
}
