import { listed, Problem } from "../../prompt/problem.ts";

/** How much one call of a file tool may show or take. */
export type WorkspaceLimits = {
  /** The most lines and bytes a result shows, whichever is reached first. */
  readonly lines: number;
  readonly bytes: number;
  /** Longer lines of search results are cut after this many characters. */
  readonly lineChars: number;
  /** How many results grep, find and ls show, unless the model asks for another number. */
  readonly matches: number;
  readonly paths: number;
  readonly entries: number;
  /** The largest file that is edited or searched; any is read, in parts. */
  readonly fileBytes: number;
  /** One command, and one search. Shorter than the limit on tools, so that they can still say how far they got. */
  readonly commandSeconds: number;
  readonly searchSeconds: number;
};

/** The bytes leave room for what is said about them in the 50,000 characters the runtime gives a result. */
export const usualWorkspaceLimits: WorkspaceLimits = {
  lines: 2000,
  bytes: 48 * 1024,
  lineChars: 500,
  matches: 100,
  paths: 1000,
  entries: 500,
  fileBytes: 10 * 1024 * 1024,
  commandSeconds: 50,
  searchSeconds: 20,
};

/** Timers count no further; one that is longer would end at once. */
const maxSeconds = 2_147_483;

export function workspaceLimitsOf(given: Partial<WorkspaceLimits> = {}): WorkspaceLimits {
  const names = Object.keys(usualWorkspaceLimits);
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name))
      throw new Problem("bad-limit", `There is no limit “${name}”.`, `The limits are ${listed(names)}.`);
    if (!(typeof value === "number" && Number.isFinite(value) && value > 0))
      throw new Problem("bad-limit", `The limit “${name}” is ${String(value)}.`, "Give a number above 0.");
    if (name.endsWith("Seconds") && value > maxSeconds)
      throw new Problem(
        "bad-limit",
        `The limit “${name}” is ${value}.`,
        `Give ${maxSeconds} seconds (24 days) at most.`,
      );
  }
  return { ...usualWorkspaceLimits, ...given };
}
