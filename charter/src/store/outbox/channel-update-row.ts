import type { Scope } from "../../amend/amendment.ts";
import { recordEvent, scopeOf } from "../event.ts";
import type { Database } from "../home/database.ts";

/**
 * Something that arrived over a channel: a message, a pressed button. `body` has the channel's own format, and is
 * deleted when it is done.
 */
export type ChannelUpdate = {
  readonly scope: Scope;
  readonly channel: string;
  /** The channel's own id for it: what arrives twice is stored once. */
  readonly id: string;
  readonly address: string;
  readonly body: string;
  readonly at: string;
  readonly state: "waiting" | "taken" | "done" | "dead";
  readonly tries: number;
  readonly turn: string | null;
  readonly failure: string | null;
};

/** Something that arrived over a channel, to be stored. */
export type NewChannelUpdate = Pick<ChannelUpdate, "scope" | "channel" | "id" | "address" | "body"> & {
  /** When it was sent, if the channel says so; now, unless given. */
  readonly at?: string;
  /** Store it only if the chat is still linked to this user. */
  readonly linked?: boolean;
};

export type ChannelUpdateRow = Omit<ChannelUpdate, "scope"> & { agent: string; user_id: string };

export function updateOf(row: ChannelUpdateRow): ChannelUpdate {
  const { channel, id, address, body, at, state, tries, turn, failure } = row;
  return { scope: scopeOf(row), channel, id, address, body, at, state, tries, turn, failure };
}

/** So often it is begun; then nobody tries it again. */
export const maxTries = 3;

export async function recordDead(db: Database, at: string, row: ChannelUpdateRow): Promise<void> {
  const { id, channel, tries, turn } = row;
  await recordEvent(db, at, { scope: scopeOf(row), kind: "update-dead", turn, detail: { update: id, channel, tries } });
}
