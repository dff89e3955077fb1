import type { Charter } from "../../prompt/charter.ts";
import { parseEdition } from "../../prompt/edition.ts";
import { boundsOf, type Room } from "../../prompt/room.ts";
import { wholeNumber } from "./options.ts";

type RoomValues = {
  readonly edition?: string | undefined;
  readonly "limit-tokens"?: string | undefined;
  readonly "limit-chars"?: string | undefined;
  readonly tokenizer?: string | undefined;
};

/** The room a command was given. The tokenizer is loaded only when a limit in tokens holds, or `count` asks for it. */
export async function roomOf(charter: Charter, values: RoomValues, count: boolean): Promise<Room> {
  const tokens = wholeNumber("limit-tokens", values["limit-tokens"]);
  const chars = wholeNumber("limit-chars", values["limit-chars"]);
  const room: Room = {
    ...(values.edition === undefined ? {} : { edition: parseEdition(values.edition) }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(chars === undefined ? {} : { chars }),
  };
  if (!count && boundsOf(charter, room).tokens === undefined) return room;
  const { loadTokenizer } = await import("../../delivery/tokenizer.ts");
  return { ...room, tokenizer: await loadTokenizer(values.tokenizer ?? "o200k_base") };
}
