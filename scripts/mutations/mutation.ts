import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One break: the words in a file, named from `charter/src`, exactly once, and what stands there instead. */
export type Mutation = {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Test files under `charter/` that should notice: they are run first. */
  readonly noticedBy?: readonly string[];
};

/** The file with its break, `charter` being the folder; nothing when what is to be broken is not there exactly once. */
export function mutated(charter: string, { file, find, replace }: Mutation): string | undefined {
  const path = join(charter, "src", file);
  const [before, after, ...others] = existsSync(path) ? readFileSync(path, "utf8").split(find) : [];
  return before === undefined || after === undefined || others.length > 0 ? undefined : before + replace + after;
}

/** What is wrong with the mutations themselves: each has a name of its own, its line once, and its tests. */
export function rotten(charter: string, mutations: readonly Mutation[]): readonly string[] {
  return mutations.flatMap((one, at) => [
    ...(mutations.findIndex(({ name }) => name === one.name) < at ? [`“${one.name}” is the name of two.`] : []),
    ...(one.find === one.replace ? [`“${one.name}” changes nothing.`] : []),
    ...(mutated(charter, one) === undefined
      ? [`“${one.name}”: ${one.file} does not hold, exactly once:\n  ${one.find.trim()}`]
      : []),
    ...(one.noticedBy ?? [])
      .filter((test) => !existsSync(join(charter, test)))
      .map((test) => `“${one.name}”: there is no ${test}.`),
  ]);
}
