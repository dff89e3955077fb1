import { isRecord, isSame, type Path } from "./path.ts";

/** A setting that two have changed, each to something else. */
export type Conflict = { readonly path: Path; readonly mine: unknown; readonly theirs: unknown };

/** Both changes in one; where they contradict each other, mine stands until it is decided. */
export type Merge = {
  readonly merged: unknown;
  readonly conflicts: readonly Conflict[];
  /** What they have changed and I have not. */
  readonly taken: readonly Path[];
};

/** What becomes of two changes of the same settings. Lists are taken as a whole. */
export function mergeChanges(base: unknown, mine: unknown, theirs: unknown, path: Path = []): Merge {
  if (isSame(mine, theirs)) return { merged: mine, conflicts: [], taken: [] };
  if (isSame(base, theirs)) return { merged: mine, conflicts: [], taken: [] };
  const both = isRecord(mine) && isRecord(theirs) && (isRecord(base) || base === undefined);
  if (!both) {
    if (isSame(base, mine)) return { merged: theirs, conflicts: [], taken: [path] };
    return { merged: mine, conflicts: [{ path, mine, theirs }], taken: [] };
  }
  const before = isRecord(base) ? base : {};
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  const parts = names.map((name) => {
    const at = (value: Record<string, unknown>) => (Object.hasOwn(value, name) ? value[name] : undefined);
    return [name, mergeChanges(at(before), at(mine), at(theirs), [...path, name])] as const;
  });
  return {
    merged: Object.fromEntries(
      parts.filter(([, { merged }]) => merged !== undefined).map(([name, { merged }]) => [name, merged]),
    ),
    conflicts: parts.flatMap(([, { conflicts }]) => conflicts),
    taken: parts.flatMap(([, { taken }]) => taken),
  };
}
