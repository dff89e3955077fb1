import { serverName } from "../agent/mcp/mcp-entry.ts";
import {
  areWords,
  badSetting,
  checkFields,
  type FieldChecks,
  hasTexts,
  isAddress,
  isFunction,
  isRecord,
  isWord,
  kindOf,
} from "../prompt/argument.ts";
import { eitherOf, Problem } from "../prompt/problem.ts";
import type { Source, Trust } from "../prompt/reading.ts";
import type { NamedSource, NamedSources } from "../sources/charter-folder/charter-files.ts";
import type { ReadResource } from "./agent-mcp.ts";
import type { CommandSource, DescribedSource, DescribedUse, McpSource, UrlSource } from "./described-source.ts";

/**
 * A source that charters in folders may name: a function, a function with the most that its words are trusted, or the description
 * of an address, a command or a resource of an MCP server.
 */
export type SourceEntry = Source | NamedSourceEntry | DescribedSource;

type NamedSourceEntry = { readonly read: Source; readonly trust?: Trust };

/** Sources by name; or a function that returns them, called when a folder first names one. */
export type HostSources =
  | Readonly<Record<string, SourceEntry>>
  | (() => Promise<Readonly<Record<string, SourceEntry>> | undefined>);

/** Prepares sources for folders when they are first asked for; the same object for the same ones. */
export function createNamedSources(given: HostSources | undefined, read: ReadResource): () => Promise<NamedSources> {
  let last: { readonly entries: object; readonly made: NamedSources } | undefined;
  return async () => {
    const entries = (typeof given === "function" ? await given() : given) ?? none;
    if (last?.entries !== entries) last = { entries, made: await prepared(entries, read) };
    return last.made;
  };
}

const none = {};

async function prepared(entries: Readonly<Record<string, SourceEntry>>, read: ReadResource): Promise<NamedSources> {
  const isAnyDescribed = Object.values(entries).some(isDescribed);
  const { describedSource } = isAnyDescribed ? await import("./described-source.ts") : {};
  const sources = Object.entries(entries).map(([name, entry]): [string, NamedSource] => {
    if (typeof entry === "function") return [name, { read: entry, trust: "own" }];
    if (!isDescribed(entry)) return [name, { read: entry.read, trust: entry.trust ?? "own" }];
    const address = "command" in entry ? {} : { isAddress: true as const };
    return [name, { read: (describedSource as Describe)(entry, read), trust: entry.trust ?? "foreign", ...address }];
  });
  return Object.fromEntries(sources);
}

/** Names the addresses whose words count as the operator's own: `charter doctor` and `charter check` say so. */
export function ownAddresses(sources: NamedSources) {
  return Object.entries(sources).flatMap(([name, { isAddress, trust }]) => {
    if (!isAddress || trust !== "own") return [];
    const message = `The source “${name}” is read from an address, and its words count as your own: whoever writes there gives orders to the agents that read it.`;
    const hint = `Leave \`trust\` out of sources.${name}; or read it in a function of your own, which answers for what it brings.`;
    return [{ severity: "warning" as const, code: "own-address" as const, message, hint }];
  });
}

type Describe = (entry: DescribedSource, read: ReadResource) => Source;

function isDescribed(entry: SourceEntry): entry is DescribedSource {
  return typeof entry !== "function" && !("read" in entry);
}

const trust = [
  (value: unknown) => ["own", "user", "foreign"].includes(value as string),
  "is none of own, user and foreign",
] as const;

const most = { maxBytes: 4 * 1024 * 1024, timeoutMs: 600_000 } as const;

const isUpTo = (value: unknown, limit: number) =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= limit;

const described = {
  trust,
  maxBytes: [(value) => isUpTo(value, most.maxBytes), `is no whole number of bytes from 1 to ${most.maxBytes}`],
  timeoutMs: [
    (value) => isUpTo(value, most.timeoutMs),
    `is no whole number of milliseconds from 1 to ${most.timeoutMs}`,
  ],
} satisfies FieldChecks<DescribedUse>;

/** The forms of an entry, by the field that tells which it is. */
const forms = {
  read: { read: [isFunction, "is no function"], trust } satisfies FieldChecks<NamedSourceEntry>,
  url: {
    url: [isAddress, "is no address that begins with http:// or https://, without a password"],
    headers: [areHeaders, "is no object of headers: texts by name"],
    ...described,
  } satisfies FieldChecks<UrlSource>,
  command: {
    command: [areWords, 'is no list of words, as in ["git", "log", "-5"]'],
    cwd: [isWord, "is no path"],
    ...described,
  } satisfies FieldChecks<CommandSource>,
  mcp: {
    mcp: [isServerName, "is no name of an MCP server"],
    uri: [isWord, "is no resource's address"],
    ...described,
  } satisfies FieldChecks<McpSource>,
};

function isServerName(value: unknown): boolean {
  return typeof value === "string" && serverName.test(value);
}

function areHeaders(value: unknown): boolean {
  try {
    return hasTexts(value) && new Headers(value as Record<string, string>) !== undefined;
  } catch {
    return false;
  }
}

/** Checks sources as they were written; the first that cannot be one is named, and no value is: there may be a key in it. */
export function checkSources(given: unknown, { place, code }: { readonly place: string; readonly code: string }): void {
  if (!isRecord(given))
    throw new Problem(code, `“sources” in ${place} is ${kindOf(given)}.`, "Give sources by name: { weather }.");
  for (const [name, entry] of Object.entries(given)) {
    if (isFunction(entry)) continue;
    const hint =
      "Give a function, { read, trust }, { url }, { command } or { mcp, uri }: docs/charter-folder.md#sources.";
    const at = { name: `sources.${name}`, place, hint, code };
    if (!isRecord(entry)) throw badSetting(at, `is ${kindOf(entry)}`);
    const [form, ...others] = Object.entries(forms).filter(([field]) => entry[field] !== undefined);
    if (form === undefined || others.length > 0)
      throw badSetting(at, `has to have ${eitherOf(Object.keys(forms))}, and only one of them`);
    const needs = form[0] === "mcp" ? (["uri"] as const) : [];
    checkFields(entry, { ...at, fields: form[1] as FieldChecks<McpSource>, needs });
  }
}
