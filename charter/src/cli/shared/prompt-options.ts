import type { Declaration } from "../../agent/declaration.ts";
import type { PromptFit } from "../../agent/turn/turn-prompt.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { type DirectoryValues, directory } from "../../operations/field.ts";
import { defined } from "../../prompt/argument.ts";
import { boundsOf, type Room } from "../../prompt/assemble.ts";
import type { Edition } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";

export type RoomValues = {
  readonly edition?: Edition | undefined;
  readonly limitTokens?: number | undefined;
  readonly limitChars?: number | undefined;
  readonly tokenizer?: string | undefined;
};

/** Tokenizer of the model, and the window the prompt has to fit into, if known. */
type RoomModel = { readonly counts?: Receiver["tokenizer"]; readonly within?: PromptFit };

/** Room for a command's prompt. The tokenizer is loaded only for a limit in tokens, a window, or `count`. */
export async function roomOf(
  { charter, edition, counts, within }: Pick<Declaration, "charter" | "edition"> & RoomModel,
  values: RoomValues,
  count: boolean,
): Promise<Room> {
  const { edition: namedEdition, limitTokens, limitChars } = values;
  const room: Room = defined({ edition: namedEdition ?? edition, tokens: limitTokens, chars: limitChars });
  if (!count && !within && boundsOf(charter, room).tokens === undefined) return room;
  const exactly = values.limitTokens !== undefined;
  return { ...room, tokenizer: await tokenizerFor(values.tokenizer, { exactly, counts }) };
}

type Counting = { readonly exactly: boolean; readonly counts?: Receiver["tokenizer"] | undefined };

/**
 * Loads the named tokenizer, or else the model's. If neither is known, an explicit limit is counted exactly, and figures that are
 * only shown as exactly as possible.
 */
export async function tokenizerFor(name: string | undefined, { exactly, counts }: Counting): Promise<Tokenizer> {
  const own = counts ?? (exactly ? undefined : { name: "o200k_base", exact: true });
  if (name === undefined && own !== undefined)
    return (await import("../../delivery/receiver.ts")).loadReceiverTokenizer(own);
  return (await import("../../delivery/tokenizer.ts")).loadTokenizer(name ?? "o200k_base");
}

/** Refuses options about a directory if none is read: facts replace its files, and most charters read none. */
export function checkNoDirectory(values: DirectoryValues, reason: string): void {
  const name = Object.keys(directory).find((name) => values[name as keyof DirectoryValues] !== undefined);
  if (name === undefined) return;
  const extra = values[name as keyof DirectoryValues] === false ? `no-${name}` : name;
  const hint = "Leave it out, or give --charter coder without --input.";
  throw new Problem("usage", `--${extra} is for a coding agent's directory, and ${reason}.`, hint);
}

type Sides = { readonly [Name in (typeof agentOptions)[number] | "charter"]?: string | undefined };

/** Options that are about an agent of the database. */
export const agentOptions = ["agent", "user", "channel", "database"] as const;

/** Refuses options for an agent of the database together with those for a charter and its facts. */
export function checkSides(values: Sides): void {
  if (values.charter === undefined) return;
  if (values.agent !== undefined)
    throw new Problem("usage", "Both --agent and --charter were given.", "Give one: an agent has its charter.");
  const extra = agentOptions.find((name) => values[name] !== undefined);
  if (extra === undefined) return;
  const hint = "With --charter, user and channel are facts: give them with --input.";
  throw new Problem("usage", `--${extra} needs --agent.`, hint);
}
