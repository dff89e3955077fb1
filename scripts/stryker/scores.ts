/** One break that Stryker made, and what became of it. */
export type Mutant = {
  readonly fileName: string;
  readonly location: { readonly start: Position; readonly end: Position };
  readonly mutatorName: string;
  readonly replacement: string;
  readonly status: string;
};
type Position = { readonly line: number; readonly column: number };

/** How many mutants of a folder were tried, and how many in a hundred of them the tests noticed, to one decimal. */
export type Score = { readonly mutants: number; readonly score: number };
export type Scores = Readonly<Record<string, Score>>;

/** What Stryker left out, or could not run, does not count. */
export function scoreOf(mutants: readonly Pick<Mutant, "status">[]): Score {
  const noticed = mutants.filter(({ status }) => status === "Killed" || status === "Timeout").length;
  const tried = noticed + mutants.filter(isSurvivor).length;
  return { mutants: tried, score: tried === 0 ? 100 : Math.floor((1000 * noticed) / tried) / 10 };
}

export function isSurvivor({ status }: Pick<Mutant, "status">): boolean {
  return status === "Survived" || status === "NoCoverage";
}

/** A survivor on one line: where it stands, and what was put in place of what. */
export function survivorLine({ location, mutatorName, replacement }: Mutant, file: string, source: string): string {
  const { start, end } = location;
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const last = lines.length - 1;
  const before = lines.map((line, at) =>
    line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined),
  );
  return `${file}:${start.line} ${mutatorName}: ${short(before.join(" "))} → ${short(replacement)}`;
}

function short(code: string): string {
  const line = code.replace(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}

/** The file of scores: one line a folder, in order. */
export function writtenScores(scores: Scores): string {
  const lines = Object.entries(scores)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([folder, { mutants, score }]) => `  "${folder}": { "mutants": ${mutants}, "score": ${score} }`);
  return `{\n${lines.join(",\n")}\n}\n`;
}
