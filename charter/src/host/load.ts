import type { Need } from "../agent/declaration.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import { type DeclaredTurn, declaredTurnOf } from "../charters/declared-turn.ts";
import { type Fact, factsOf } from "../charters/facts.ts";
import { type FactFields, settingPaths, unknownFactNotices } from "../charters/known-facts.ts";
import { Problem } from "../prompt/problem.ts";
import { builtIn, builtInCalled, builtInNames } from "./built-in.ts";

/** A charter that was found: what facts make of it. */
type LoadedCharter = {
  readonly given: (facts: Fact, clock: () => Date, channels?: Channels) => Promise<DeclaredTurn>;
  /** It is made of its settings alone, and so the same for every user, turn after turn. */
  readonly ofSettings: boolean;
  /** What it is told besides what all are; a file of the user's own does not say. */
  readonly facts: FactFields | undefined;
};

/** Is it a file of the user's own? Then it is code. */
export function isCharterFile(name: string): boolean {
  return /\.[cm]?[jt]s$/.test(name);
}

/** A charter by its name, or from a file of the user's own. */
export async function loadCharter(name: string): Promise<LoadedCharter> {
  const known = builtInCalled(name);
  if (known) {
    const { fromFacts, facts: own } = await known.load();
    return {
      ofSettings: true,
      facts: own,
      given: async (facts, ...more) => withUnknown({ name, own }, fromFacts(facts, ...more), facts),
    };
  }
  if (isCharterFile(name)) {
    const { declare, ofSettings } = await (await import("./own-charter.ts")).ownCharter(name);
    return {
      ofSettings,
      facts: undefined,
      given: async (facts, clock, channels = {}) => {
        const told = { now: clock().toISOString(), ...(facts.value as object) };
        return withUnknown(
          { name, own: undefined },
          declaredTurnOf(await declare(told, { channels }), facts, clock),
          facts,
        );
      },
    };
  }
  throw new Problem(
    "unknown-charter",
    `There is no charter “${name}”.`,
    `Name ${builtInNames.join(", ")}, or a file that ends in .ts or .js.`,
  );
}

/** What a charter is not told, it says. */
function withUnknown(
  { name, own }: { readonly name: string; readonly own: FactFields | undefined },
  given: DeclaredTurn,
  facts: Fact,
): DeclaredTurn {
  const unknown = unknownFactNotices(name, own, facts);
  return unknown.length === 0 ? given : { ...given, notices: [...given.notices, ...unknown] };
}

/** What a charter says about itself: what it must be told, and whether a service can run it. */
export type CharterTraits = { readonly needs: readonly Need[]; readonly served: boolean };

export function traitsOf({ needs = [], served = true }: Partial<CharterTraits>): CharterTraits {
  return { needs, served };
}

type CharterDescription = CharterTraits & {
  readonly name: string;
  readonly says: string;
  /** Settings for a new agent, to be changed before it is added. */
  readonly template: Readonly<Record<string, unknown>>;
  /** The settings it reads besides those all charters do. */
  readonly reads: readonly string[];
};

/** The charters there are, in a sentence each, and what they say of themselves. */
export function builtInCharters(): Promise<CharterDescription[]> {
  const described = async ([name, { says, load }]: [string, (typeof builtIn)[string]]) => {
    const { fromFacts, facts, demo: template = {} } = await load();
    return { name, says, ...traitsOf(fromFacts(factsOf({}), () => new Date(0))), template, reads: settingPaths(facts) };
  };
  return Promise.all(Object.entries(builtIn).map(described));
}
