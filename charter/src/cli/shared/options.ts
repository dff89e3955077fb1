import { type DirectoryValues, directory } from "../../operations/directory-fields.ts";
import { Problem } from "../../prompt/problem.ts";

/** Facts stand in place of files, and other charters read none: then no directory is looked at. */
export function checkNoDirectory(values: DirectoryValues, reason: string): void {
  const name = Object.keys(directory).find((name) => values[name as keyof DirectoryValues] !== undefined);
  if (name === undefined) return;
  const extra = values[name as keyof DirectoryValues] === false ? `no-${name}` : name;
  const hint = "Leave it out, or give --charter coder without --input.";
  throw new Problem("usage", `--${extra} is for a coding agent's directory, and ${reason}.`, hint);
}

type Sides = { readonly [Name in "agent" | "user" | "channel" | "database" | "charter"]?: string | undefined };

/** A command speaks of an agent of the database or of a charter and its facts, never of both. */
export function checkSides(values: Sides): void {
  if (values.agent === undefined) {
    const extra = (["user", "channel", "database"] as const).find((name) => values[name] !== undefined);
    if (extra === undefined) return;
    const hint = "With --charter, user and channel are facts: give them with --input.";
    throw new Problem("usage", `--${extra} needs --agent.`, hint);
  }
  if (values.charter !== undefined)
    throw new Problem("usage", "Both --agent and --charter were given.", "Give one: an agent has its charter.");
}
