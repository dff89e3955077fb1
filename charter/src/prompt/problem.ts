/**
 * The one error class of Charter: a mistake the caller can fix. `code` is listed in docs/problems.md, `message` names
 * what is wrong, `hint` says what to do.
 *
 * Expected outcomes (a refusal, an unavailable source) are values and are never thrown.
 */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** Lists names for the end of a message: in quotes, or "none". */
export function listed(names: Iterable<string>): string {
  const quoted = [...names].map((name) => `“${name}”`);
  return quoted.length === 0 ? "none" : quoted.join(", ");
}

/** Lists names of which one is enough: A, B or C. */
export function eitherOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** Returns the message of anything that was thrown. */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "something that cannot be put into words";
  }
}

/** Writes a number with commas: 1,048,576. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Writes a count with its noun: 1 row, 2 rows, 1,048 rows. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}

/** Only a Problem was foreseen: anything else goes on to whoever called. */
export function rethrowUnlessProblem(error: unknown): asserts error is Problem {
  if (!(error instanceof Problem)) throw error;
}
