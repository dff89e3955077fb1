import type { Declaration, ToolPlace } from "../agent/declaration.ts";
import type { Tool } from "../agent/tool.ts";
import { usualRules } from "../agent/usual-rules.ts";
import { createBoundedMap } from "../prompt/bounds.ts";
import { allSections, type Charter, mayAmend } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import type { NamedSources } from "../sources/charter-folder/charter-files.ts";
import { type FolderContent, openCharterFolder } from "../sources/charter-folder/charter-folder.ts";
import { perTurnFacts } from "./facts.ts";

/** Options of a folder: the sources that its sections may name. */
export type CharterFolderOptions = {
  /** Sources by name; or a function that returns them, which is asked when the folder names one. */
  readonly sources?: NamedSources | (() => Promise<NamedSources>);
  /** Called with a charter before it is used, and so before it replaces the last one. Throw a Problem to refuse it. */
  readonly check?: (charter: Charter) => Promise<void>;
};

/** The charter in a folder as it may be used now. */
type FolderCharter = {
  readonly content: FolderContent;
  /** Says that the folder has changed and is not used as it is now, and why. */
  readonly notices: readonly Notice[];
  /** Declares it for an agent's settings; the same object for the same settings. */
  readonly declare: (facts: object) => Declaration;
};

/**
 * Opens a folder of Markdown that is a charter, and returns a function that gives it as it may be used now. It is read again when
 * a file changes, whole or not at all: as long as a change cannot be used, the last good one stays, with a notice.
 */
export function openFolderCharter(path: string): (options?: CharterFolderOptions) => Promise<FolderCharter> {
  const folder = openCharterFolder(path);
  let good:
    | { readonly content: FolderContent; readonly sources: NamedSources; readonly charter: FolderCharter }
    | undefined;
  return async ({ sources = {}, check } = {}) => {
    try {
      const content = folder.read();
      const known = content.sources.length === 0 ? {} : typeof sources === "function" ? await sources() : sources;
      if (good?.content === content && (good.sources === known || content.sources.length === 0)) return good.charter;
      const charter = { content, notices: [], declare: declarer(content, known) };
      if (good) await check?.(charter.declare({}).charter);
      else charter.declare({});
      good = { content, sources: known, charter };
      return charter;
    } catch (error) {
      if (!good || !(error instanceof Problem)) throw error;
      const message = `${path} has changed and is not used as it is now; what it was before is. ${error.message} ${error.hint}`;
      return { ...good.charter, notices: [{ code: "charter-kept", message }] };
    }
  };
}

/** Number of agents with settings of their own whose declarations are kept. */
const maxDeclarations = 1000;

function declarer(content: FolderContent, sources: NamedSources): (facts: object) => Declaration {
  const known = createBoundedMap<string, Declaration>(maxDeclarations);
  return (facts) => {
    const key = JSON.stringify(facts);
    const declaration = known.get(key) ?? declarationOf(content, content.charter(sources, facts));
    known.set(key, declaration);
    return declaration;
  };
}

function declarationOf({ tools }: FolderContent, charter: Charter): Declaration {
  return {
    charter,
    rules: async () => usualRules(charter),
    ...(tools === undefined
      ? {}
      : { toolNames: tools, tools: async (place: ToolPlace = {}) => ownTools(charter, tools, place) }),
  };
}

/** Charter's own tools that a folder may name; those for reminders exist only where schedules are run. */
const ownToolNames = {
  always: ["read_memory", "save_memory", "update_memory", "forget_memory", "read_prompt", "modify_system_prompt"],
  scheduled: ["set_reminder", "list_reminders", "cancel_reminder", "set_time_zone"],
} as const;

async function ownTools(
  charter: Charter,
  names: readonly string[],
  { schedules, zone }: ToolPlace,
): Promise<readonly Tool[]> {
  const isOwn = (all: readonly string[]) => names.some((name) => all.includes(name));
  if (!isOwn(ownToolNames.always) && !isOwn(ownToolNames.scheduled)) return [];
  const own = { ...(await import("../agent/tools/index.ts")), ...(await import("../agent/tools/reminders.ts")) };
  const amendable = allSections(charter).filter((placed) => mayAmend(placed, "agent"));
  const [first, ...others] = amendable.map(({ section }) => section.name);
  const all = [
    ...[own.readMemory(), own.saveMemory(), own.updateMemory(), own.forgetMemory(), own.readPrompt(charter)],
    ...(first === undefined ? [] : [own.modifySystemPrompt({ section: [first, ...others] })]),
    ...(schedules
      ? [own.setReminder({ zone }), own.listReminders({ zone }), own.cancelReminder(), own.setTimeZone({ zone })]
      : []),
  ];
  return all.filter(({ name }) => names.includes(name));
}

/**
 * Reads a charter from a folder of Markdown, for `createAgent` and `createHost`: a function from the facts to its declaration. The
 * folder is read again when it changes, whole or not at all; a change that cannot be used is told as a notice.
 */
export function charterFolder(
  path: string,
  options: CharterFolderOptions = {},
): (facts?: object) => Promise<Declaration> {
  const open = openFolderCharter(path);
  return async (facts = {}) => {
    const { declare, notices } = await open(options);
    const declaration = declare(settingsIn(facts));
    return notices.length === 0 ? declaration : { ...declaration, toolNotices: notices };
  };
}

/** Facts without those of the turn, which sources are told by themselves: so turns have the same charter object. */
export function settingsIn(facts: object): object {
  const isOfTurn = (name: string) => perTurnFacts.has(name) || name === "zone" || name === "context";
  return Object.fromEntries(Object.entries(facts).filter(([name]) => !isOfTurn(name)));
}
