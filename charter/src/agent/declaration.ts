import type { Rules } from "../amend/amend.ts";
import type { Room } from "../prompt/assemble.ts";
import type { Charter, Edition } from "../prompt/charter.ts";
import type { Notice, Readings, Source } from "../prompt/reading.ts";
import type { CoreMemory } from "../sources/core-memory/core-memory.ts";
import type { StandingFault } from "../store/amendments/standing.ts";
import type { Hook } from "./hook.ts";
import type { Limits } from "./limits.ts";
import type { Tool } from "./tool.ts";

/** Returns the rules for the amendments of a section, given what the other sections contain. */
export type RulesFor = (section: string, readings: Readings, limits?: Room) => Rules;

/**
 * What a charter is told about a turn besides its settings: waiting messages, past conversations with their senders,
 * the agent's notes, or the files of a directory.
 */
export type Need = "inbox" | "conversations" | "notes" | "files";

export const allNeeds: readonly Need[] = ["inbox", "conversations", "notes", "files"];

/** Where a charter's tools will be used. */
export type ToolPlace = {
  /** Schedules are run there, so reminders will arrive. */
  readonly schedules?: boolean;
  /** The time zone of users who have set none. */
  readonly zone?: string | undefined;
};

/** The prompt files of a directory, as sources. `openProject` in `charter/sources` makes them. */
export type DirectoryFiles = {
  /** SYSTEM.md: replaces the whole default prompt. */
  readonly system: Source;
  /** APPEND_SYSTEM.md. */
  readonly append: Source;
  /** AGENTS.md and CLAUDE.md files, the global one first, the working directory's last. */
  readonly context: Source;
  readonly skills: Source;
  readonly cwd: string;
  /** The paths of Charter's documentation, or a text of your own. Blank: none. */
  readonly documentation?: string | DocumentationPaths;
};

/** Where a coding agent finds documentation: the main page, the folder of the others, the examples. */
export type DocumentationPaths = { readonly main: string; readonly additional: string; readonly examples: string };

/** Where an agent's core memory is: its relays, the owner's public key, and the name of its own key in the configuration. */
export type MemoryPlace = {
  readonly relays: readonly string[];
  /** An npub, or hex. */
  readonly owner: string;
  readonly key: string;
};

/**
 * A charter together with everything its agents need: the rules for changing its sections, tools, hooks and limits. The
 * ready-made charters return one; write your own to go beyond a plain charter. Rules and tools are loaded when asked
 * for, since assembling needs neither.
 */
export type Declaration = {
  readonly charter: Charter;
  /** The rules for changing its sections. */
  readonly rules: () => Promise<RulesFor>;
  /** Its tools, given where they will be used. */
  readonly tools?: (place?: ToolPlace) => Promise<readonly Tool[]>;
  /** What the operator is told of its tools with each turn, such as one of another server that is not offered. */
  readonly toolNotices?: readonly Notice[];
  /** The same declaration for a model that takes no tools: without the words that speak of them. */
  readonly withoutTools?: () => Declaration;
  /** Run before the agent's own. */
  readonly hooks?: readonly Hook[];
  /** Says what is wrong with a section's stored text that must not be used, such as one over a lowered limit. */
  readonly fault?: StandingFault;
  /** None, unless given. */
  readonly needs?: readonly Need[];
  /** The same declaration with the files of a directory, for charters that need them. */
  readonly withFiles?: (files: DirectoryFiles) => Declaration;
  /** Where its core memory is, if that is kept on relays. */
  readonly memory?: MemoryPlace;
  /** The same declaration with that core memory, which it reads each turn and can change. */
  readonly withMemory?: (memory: CoreMemory) => Declaration;
  /** false: a service shows its prompt but takes no turns, because they need a directory and a terminal. */
  readonly served?: boolean;
  /** Where the agent sets a limit as well, the smaller one applies. */
  readonly limits?: Partial<Limits>;
  /** The most tokens a request may have; what is known or learned of the model, unless given. */
  readonly window?: number;
  /** The history is summarised when it has more tokens than this. */
  readonly compactAt?: number;
  /** The edition of its prompts; by the room the model has, unless given. */
  readonly edition?: Edition;
};

/** Is it told anything that only the store knows, and that may be another with every turn? */
export function needsStore({ needs = [] }: Pick<Declaration, "needs">): boolean {
  return needs.some((need) => need !== "files");
}

export function needsFiles({ needs = [] }: Pick<Declaration, "needs">): boolean {
  return needs.includes("files");
}
