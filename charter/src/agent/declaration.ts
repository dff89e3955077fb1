import type { Rules } from "../amend/amend.ts";
import type { Charter } from "../prompt/charter.ts";
import type { Room } from "../prompt/room.ts";
import type { Readings, Source } from "../prompt/source.ts";
import type { StandingFault } from "../store/amendments/standing.ts";
import type { Hook } from "./hook.ts";
import type { Limits } from "./limits.ts";
import type { Tool } from "./tool.ts";

/** What holds for the amendments of each section, given what the other sections say. */
export type RulesFor = (section: string, readings: Readings, limits?: Room) => Rules;

/**
 * What a charter must be told besides its settings: messages that wait for the agent, what was said before with whoever
 * sent them, its notes; or the files of a directory.
 */
export type Need = (typeof allNeeds)[number];

export const allNeeds = ["inbox", "conversations", "notes", "files"] as const;

/** Where tools are used. */
export type ToolPlace = {
  /** Schedules are run there, so that a reminder comes. */
  readonly schedules?: boolean;
  /** The zone of users who have none of their own. */
  readonly zone?: string | undefined;
};

/** The files of a directory, as sources of sections. */
export type DirectoryFiles = {
  /** SYSTEM.md: replaces the whole default base. */
  readonly system: Source;
  /** APPEND_SYSTEM.md. */
  readonly append: Source;
  /** AGENTS.md and CLAUDE.md files, the global one first, the working directory's last. */
  readonly context: Source;
  readonly skills: Source;
  readonly cwd: string;
  /** The paths of Charter's documentation, or a block of the host's own. Blank: none. */
  readonly documentation?: string | DocumentationPaths;
};

export type DocumentationPaths = { readonly main: string; readonly additional: string; readonly examples: string };

/**
 * A charter and everything its agents are: the rules its sections are amended by, its tools, what it must be told and
 * where it takes turns. Assembling needs neither rules nor tools, so they are loaded when asked for.
 */
export type Declaration = {
  readonly charter: Charter;
  readonly rules: () => Promise<RulesFor>;
  readonly tools?: (place?: ToolPlace) => Promise<readonly Tool[]>;
  /** Asked before the agent's own. */
  readonly hooks?: readonly Hook[];
  readonly fault?: StandingFault;
  /** Nothing, unless said otherwise. */
  readonly needs?: readonly Need[];
  /** What it is with the files of a directory: of one that needs them. */
  readonly withFiles?: (files: DirectoryFiles) => Declaration;
  /** false: its turns are taken at a terminal, in a directory. A service shows its prompt, and takes no turn. */
  readonly served?: boolean;
  /** Where the agent has limits of its own as well, the narrower one holds. */
  readonly limits?: Partial<Limits>;
  /** So many tokens of history, and it is compacted. */
  readonly compactAt?: number;
};
