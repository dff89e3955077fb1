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
 * A kind of facts a charter is told about a turn besides its settings: waiting messages, past conversations with their senders,
 * the agent's notes, or the files of a directory.
 */
export type Need = "inbox" | "conversations" | "notes" | "files";

export const allNeeds: readonly Need[] = ["inbox", "conversations", "notes", "files"];

/** The place where a charter's tools will be used. */
export type ToolPlace = {
  /** Says that schedules are run there, so reminders will arrive. */
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

/** Paths of the documentation for a coding agent: the main page, the folder of the others, the examples. */
export type DocumentationPaths = { readonly main: string; readonly additional: string; readonly examples: string };

/** The place of an agent's core memory: its relays, the owner's public key, and the name of its own key in the configuration. */
export type MemoryPlace = {
  readonly relays: readonly string[];
  /** The owner's public key, as an npub or in hex. */
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
  /** Makes its tools, given where they will be used. */
  readonly tools?: (place?: ToolPlace) => Promise<readonly Tool[]>;
  /** Names of the tools its agents have, of those that are offered to them where they run; all, unless given. */
  readonly toolNames?: readonly string[];
  /** Notices about its tools for the operator, given with each turn, such as one of another server that is not offered. */
  readonly toolNotices?: readonly Notice[];
  /** Returns the same declaration for a model that takes no tools: without the words that speak of them. */
  readonly withoutTools?: () => Declaration;
  /** Hooks that run before the agent's own. */
  readonly hooks?: readonly Hook[];
  /** Says what is wrong with a section's stored text that must not be used, such as one over a lowered limit. */
  readonly fault?: StandingFault;
  /** Kinds of facts its sections need; none, unless given. */
  readonly needs?: readonly Need[];
  /** Returns the same declaration with the files of a directory, for charters that need them. */
  readonly withFiles?: (files: DirectoryFiles) => Declaration;
  /** The place of its core memory, if that is kept on relays. */
  readonly memory?: MemoryPlace;
  /** Returns the same declaration with that core memory, which it reads each turn and can change. */
  readonly withMemory?: (memory: CoreMemory) => Declaration;
  /** false: a service shows its prompt but takes no turns, because they need a directory and a terminal. */
  readonly served?: boolean;
  /** Limits on a turn. Where the agent sets one as well, the smaller applies. */
  readonly limits?: Partial<Limits>;
  /** Maximum number of tokens of a request; what is known or learned of the model, unless given. */
  readonly window?: number;
  /** Number of tokens above which the history is summarised. */
  readonly compactAt?: number;
  /** The edition of its prompts; by the room the model has, unless given. */
  readonly edition?: Edition;
};

/** Tells whether a charter needs facts that only the store has, and that may change with every turn. */
export function needsStore({ needs = [] }: Pick<Declaration, "needs">): boolean {
  return needs.some((need) => need !== "files");
}

export function needsFiles({ needs = [] }: Pick<Declaration, "needs">): boolean {
  return needs.includes("files");
}
