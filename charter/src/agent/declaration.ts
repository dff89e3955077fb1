import type { Rules } from "../amend/amend.ts";
import type { Charter } from "../prompt/charter.ts";
import type { Room } from "../prompt/room.ts";
import type { Readings } from "../prompt/source.ts";
import type { StandingFault } from "../store/amendments/standing.ts";
import type { Hook } from "./hook.ts";
import type { Tool } from "./tool.ts";

/** What holds for the amendments of each section, given what the other sections say. */
export type RulesFor = (section: string, readings: Readings, limits?: Room) => Rules;

/**
 * A charter, the rules its sections are amended by, and the tools that amend them. Assembling needs neither rules nor
 * tools, so they are loaded when asked for.
 */
export type Declaration = {
  readonly charter: Charter;
  readonly rules: () => Promise<RulesFor>;
  readonly tools?: () => Promise<readonly Tool[]>;
  /** Asked before the agent's own. */
  readonly hooks?: readonly Hook[];
  readonly fault?: StandingFault;
};
