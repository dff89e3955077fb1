import type { Assembled } from "../../assembly/assembled.ts";

export type Landed = {
  readonly name: string;
  readonly revision: number | null;
  /** Tokens more, or fewer. */
  readonly tokens: number;
};

type Sections = Pick<Assembled["sections"][number], "name" | "mutability" | "revision" | "tokens">;

/** What changed from one prompt to the next by somebody's hand. What is made afresh each turn is not news. */
export function landed(before: readonly Sections[], after: readonly Sections[]): readonly Landed[] {
  const was = new Map(before.map((section) => [section.name, section]));
  const is = new Set(after.map(({ name }) => name));
  const changed = after
    .filter(({ name, mutability, revision }) => {
      const old = was.get(name);
      return mutability === "amendable" && (old === undefined || old.revision !== revision);
    })
    .map(({ name, revision, tokens }) => ({ name, revision, tokens: tokens - (was.get(name)?.tokens ?? 0) }));
  const gone = before
    .filter(({ name, mutability }) => mutability === "amendable" && !is.has(name))
    .map(({ name, tokens }) => ({ name, revision: null, tokens: -tokens }));
  return [...changed, ...gone];
}
