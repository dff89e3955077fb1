import type { Declaration } from "../../agent/declaration.ts";
import { parseEdition } from "../../prompt/edition.ts";
import { boundsOf, type Room } from "../../prompt/room.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import { wholeNumber } from "./options.ts";

type RoomValues = {
  readonly edition?: string | undefined;
  readonly "limit-tokens"?: string | undefined;
  readonly "limit-chars"?: string | undefined;
  readonly tokenizer?: string | undefined;
};

/** The room a command was given. The tokenizer is loaded only when a limit in tokens holds, or `count` asks for it. */
export async function roomOf(
  { charter, edition }: Pick<Declaration, "charter" | "edition">,
  values: RoomValues,
  count: boolean,
): Promise<Room> {
  const tokens = wholeNumber("limit-tokens", values["limit-tokens"]);
  const chars = wholeNumber("limit-chars", values["limit-chars"]);
  const room: Room = {
    ...(edition === undefined ? {} : { edition }),
    ...(values.edition === undefined ? {} : { edition: parseEdition(values.edition) }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(chars === undefined ? {} : { chars }),
  };
  if (!count && boundsOf(charter, room).tokens === undefined) return room;
  return { ...room, tokenizer: await tokenizerFor(values.tokenizer, tokens !== undefined) };
}

/** The one that was named. Where none was, a limit that was asked for is counted exactly; what is only shown, if possible. */
export async function tokenizerFor(name: string | undefined, exactly: boolean): Promise<Tokenizer> {
  if (name === undefined && !exactly)
    return (await import("../../delivery/receiver-tokenizer.ts")).loadReceiverTokenizer("o200k_base");
  return (await import("../../delivery/tokenizer.ts")).loadTokenizer(name ?? "o200k_base");
}
