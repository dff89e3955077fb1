import { type McpEntry, serverName } from "../agent/mcp/mcp-entry.ts";
import { isKeyName } from "../charters/resident/resident.ts";
import type { AcpEntry } from "../delivery/acp/entry.ts";
import { badSetting, checkFields, type FieldChecks, isRecord, type SettingPlace } from "../prompt/argument.ts";
import { listed, Problem } from "../prompt/problem.ts";

/** What the entries of a setting are, which have names of their own. Values are never repeated: one may be a key. */
type EntryTable = {
  readonly setting: string;
  readonly isName: (name: string) => boolean;
  readonly naming: string;
  readonly check: (entry: unknown, at: SettingPlace) => void;
  readonly hint: string;
  /** A name may be a key by mistake. */
  readonly hidesName?: true;
};

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && !value.includes("\0");
const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const areWords = (value: unknown) => areTexts(value) && value.length > 0;
const hasTexts = (value: unknown) => isRecord(value) && Object.values(value).every((one) => typeof one === "string");
const isWhole = (value: unknown, least: number) => Number.isSafeInteger(value) && (value as number) >= least;

const path = [isText, "is no path"] as const;
const flag = [(value: unknown) => typeof value === "boolean", "is neither true nor false"] as const;

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
  served: flag,
  foreign: flag,
  tools: flag,
  override: flag,
  sizeLimit: [(value) => isWhole(value, 4096), "is no whole number of bytes from 4096 up"],
  turnsPerSession: [(value) => isWhole(value, 1), "is no whole number from 1 up"],
  authenticate: [isText, "is no id of a way to sign in"],
};

type McpAt<Field extends string> = Extract<McpEntry, Readonly<Record<Field, unknown>>>;

const mcpUse = {
  reads: [
    (value) => value === "annotated" || areTexts(value),
    'is no list of names, as in ["read_*"], nor "annotated"',
  ],
  pin: [(value) => value === "screen" || value === "ask", 'is neither "screen" nor "ask"'],
  sensitive: flag,
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

/** A password in an address would stand in every log that names it. */
function isAddress(value: unknown): boolean {
  if (!isText(value) || !/^https?:\/\/[^/]/.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}

const keyPlaces: Readonly<Record<string, (value: unknown) => boolean>> = {
  file: isPlace,
  env: (value) => isPlace(value) && /^[a-z_][a-z0-9_]*$/i.test(value),
  command: (value) => Array.isArray(value) && value.length > 0 && value.every(isPlace),
};

function isPlace(value: unknown): value is string {
  return isText(value) && !/nsec1/i.test(value);
}

function saysPlace(entry: unknown): boolean {
  const [[kind, value] = [""], ...others] = isRecord(entry) ? Object.entries(entry) : [];
  return others.length === 0 && Object.hasOwn(keyPlaces, kind) && keyPlaces[kind]?.(value) === true;
}

/** How each agent over ACP is started. */
export const acpEntries: EntryTable = {
  setting: "acp",
  isName: (name) => /^[a-z0-9][a-z0-9._-]{0,39}$/i.test(name),
  naming: "name: 1 to 40 letters, digits, “-”, “_”, “.”",
  check: (entry, at) => checkFields(entry, { ...at, fields: acpFields, needs: ["command"] }),
  hint: 'As in acp: { claude: { command: ["claude-agent-acp"] } }: docs/acp.md#settings.',
};

/** How each MCP server is reached. */
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

/** Where each key is. */
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

/** Names the first entry, or field of one, that is not as it has to be. */
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
