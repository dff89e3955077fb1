import type { Need } from "../agent/declaration.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import { type DeclaredTurn, declaredTurnOf } from "../charters/declared-turn.ts";
import { type Fact, factsOf, unknownFacts } from "../charters/facts.ts";
import { Problem } from "../prompt/problem.ts";
import { builtIn, builtInCalled, builtInNames } from "./built-in.ts";

/** A charter that was found: what facts make of it. */
type LoadedCharter = {
  readonly given: (facts: Fact, clock: () => Date, channels?: Channels) => Promise<DeclaredTurn>;
  /** It is made of its settings alone, and so the same for every user, turn after turn. */
  readonly ofSettings: boolean;
};

/** Is it a file of the user's own? Then it is code. */
export function isCharterFile(name: string): boolean {
  return /\.[cm]?[jt]s$/.test(name);
}

/** A charter by its name, or from a file of the user's own. */
export async function loadCharter(name: string): Promise<LoadedCharter> {
  const known = builtInCalled(name);
  if (known) {
    const { fromFacts } = await known.load();
    return { ofSettings: true, given: async (facts, ...more) => withUnknown(fromFacts(facts, ...more), facts) };
  }
  if (isCharterFile(name)) {
    const { declare, ofSettings } = await (await import("./own-charter.ts")).ownCharter(name);
    return {
      ofSettings,
      given: async (facts, clock, channels = {}) => {
        const told = { now: clock().toISOString(), ...(facts.value as object) };
        return declaredTurnOf(await declare(told, { channels }), facts, clock);
      },
    };
  }
  throw new Problem(
    "unknown-charter",
    `There is no charter “${name}”.`,
    `Name ${builtInNames.join(", ")}, or a file that ends in .ts or .js.`,
  );
}

/** A charter of the user's own may be told anything; the built-in ones say what they do not know. */
function withUnknown(given: DeclaredTurn, facts: Fact): DeclaredTurn {
  const unknown = unknownFacts(facts);
  return unknown.length === 0 ? given : { ...given, notices: [...given.notices, ...unknown] };
}

/** What a charter says about itself: what it must be told, and whether a service can run it. */
export type CharterTraits = { readonly needs: readonly Need[]; readonly served: boolean };

export function traitsOf({ needs = [], served = true }: Partial<CharterTraits>): CharterTraits {
  return { needs, served };
}

/** The charters there are, in a sentence each, and what they say of themselves. */
export function builtInCharters(): Promise<({ readonly name: string; readonly says: string } & CharterTraits)[]> {
  const described = async ([name, { says, load }]: [string, (typeof builtIn)[string]]) => {
    const { fromFacts } = await load();
    return { name, says, ...traitsOf(fromFacts(factsOf({}), () => new Date(0))) };
  };
  return Promise.all(Object.entries(builtIn).map(described));
}
