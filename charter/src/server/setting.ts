import { isRecord } from "../prompt/argument.ts";
import { listed, Problem } from "../prompt/problem.ts";

/** What a value may be. */
type Kind<Value> = {
  readonly fits: (value: unknown) => value is Value;
  /** How it is written, for whoever wrote something else. */
  readonly wants?: string;
  /** What a variable or an option says, where that is no text. */
  readonly read?: (words: string) => unknown;
  /** Names what is wrong in one that has fields of its own. */
  readonly check?: (value: unknown, place: string) => void;
};

/** Variables for the fields of a setting, which is set when one of `needs` is; `adds`: to what the file says. */
type FieldVariables = {
  readonly fields: Readonly<Record<string, string>>;
  readonly needs: readonly string[];
  readonly adds?: true;
};

/** A setting of `charter.config.ts`: what it may be, where it holds, and what is taken before it. */
type Setting<Value = unknown> = Kind<Value> & {
  /** Wherever turns run, in `charter chat` and `acp` as well; or in the service alone: `start`, `serve`, `work`. */
  readonly holds: "turns" | "service";
  readonly env?: string | FieldVariables;
  readonly option?: { readonly type: "string"; readonly short?: string };
};

/** Settings by name. What each is for is the comment before it, which editors and docs/assistant.md show. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** The object that such settings are written as. */
export type SettingsOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends Kind<infer Value> ? Value : never;
};

/** The options that are taken before settings, as they were given. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly option: object } ? Name : never]?: string | undefined;
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

/** What fits by a check that stands elsewhere. */
export function fitting<Value>(fits: (value: unknown) => boolean, wants = otherKind) {
  return { fits: fits as (value: unknown) => value is Value, wants };
}

/** What names by itself what is wrong with it. */
export function checked<Value>(check: (value: unknown, place: string) => void) {
  return { fits: (_: unknown): _ is Value => true, check };
}

/** What was written, checked: a setting that is not known, or is of the wrong kind, is named. */
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

/** The file's words, over them the environment's, over them the options'. */
export function settingsOver<Table extends SettingTable>(
  table: Table,
  file: SettingsOf<Table>,
  env: Words,
  options: SettingValues<Table>,
): SettingsOf<Table> {
  const given = Object.entries(table).map(([name, setting]) => {
    const { env: variables, read = (words: string) => words } = setting;
    if (typeof variables === "object") return [name, fieldsSaid(variables, file[name], env)];
    const words = (options as Words)[name] ?? (variables && saidIn(env, variables));
    return [name, words === undefined ? undefined : read(words)];
  });
  const set = given.filter(([, value]) => value !== undefined);
  return checkSettings(table, { ...file, ...Object.fromEntries(set) }, "the configuration");
}

function fieldsSaid({ fields, needs, adds }: FieldVariables, file: unknown, env: Words): object | undefined {
  const said = Object.entries(fields).flatMap(([field, variable]) => {
    const words = saidIn(env, variable);
    return words === undefined ? [] : [[field, words] as const];
  });
  const isSet = said.some(([field]) => needs.includes(field)) || (adds && file !== undefined);
  return isSet ? { ...(adds ? (file as object) : {}), ...Object.fromEntries(said) } : undefined;
}

function saidIn(env: Words, variable: string): string | undefined {
  return env[variable]?.trim() || undefined;
}
