import type { Rules } from "../amend/amend.ts";
import type { TurnFacts } from "../amend/guard.ts";
import type { Charter } from "../prompt/charter.ts";
import type { Notice } from "../prompt/notice.ts";
import type { Room } from "../prompt/room.ts";
import type { Readings, Turn } from "../prompt/source.ts";
import type { StandingFault } from "../store/standing.ts";

/** What holds for the amendments of each section, given what the other sections say. */
export type RulesFor = (section: string, readings: Readings, limits?: Room) => Rules;

/** A charter, and the rules its sections are amended by. Assembling needs no rules, so they are loaded when asked for. */
export type Declaration = {
  readonly charter: Charter;
  readonly rules: () => Promise<RulesFor>;
  readonly fault?: StandingFault;
};

/** A declaration, and a turn to assemble it for: what facts come to. */
export type Given = Declaration & {
  readonly turn: Turn;
  readonly turnFacts: TurnFacts;
  /** What the facts gave cause to say. */
  readonly notices: readonly Notice[];
};
