import type { Mutability } from "./mutability.ts";
import type { Trust } from "./part.ts";
import type { Reading } from "./reading.ts";
import type { Source } from "./source.ts";

/** How a section's words move between turns. It decides where delivery puts them. */
export type Stability = "stable" | "event" | "state";

/**
 * The atom: a uniquely named piece of a prompt. Whatever is shown, counted, amended, refused, cut or blamed is one.
 *
 * It reads `lead heading⏎ words⏎ parts⏎ closing`, each where there is one. Heading, lead and closing are code's.
 */
export type Section = {
  readonly name: string;
  readonly lead?: string;
  readonly heading?: string;
  /** A literal. Of a fixed section: its fixed words, which the lock pins; operator settings from `sources` may follow. */
  readonly words?: string;
  /** The literal's own locked short form, for the compact edition. */
  readonly short?: string;
  readonly sources?: readonly Source[];
  /** Of an amendable section: the words it was born with; what reset returns to. */
  readonly original?: string;
  /** Of an amendable section: how its standing text becomes words. As it stands, unless said otherwise. */
  readonly read?: (standing: string) => Reading;
  /** Of an amendable section: whose copy its words are. The agent's, unless it is each user's own. */
  readonly scope?: "user";
  /** Its words when every source was empty. Never used when one was unavailable. */
  readonly fallback?: string;
  readonly closing?: string;
  /** What stands between its parts. */
  readonly separator?: string;
  /** The layer's, unless said otherwise. */
  readonly mutability?: Mutability;
  readonly stability?: Stability;
  readonly trust?: Trust;
  /** It never shows more than this; `told` says so to the model, with {kept} and {missing}. */
  readonly limit?: { readonly chars: number; readonly told: string };
  /** What a section of state is promised of the room, so that what stable words give up never depends on it. */
  readonly reserve?: { readonly chars: number; readonly tokens: number };
  /** In the compact edition: the short forms, or nothing. In full, unless said otherwise. */
  readonly compact?: "short" | "omit";
};
