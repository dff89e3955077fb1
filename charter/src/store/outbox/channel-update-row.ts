import type { Scope } from "../../amend/amendment.ts";
import { recordEvent, scopeOf } from "../event.ts";
import type { Database } from "../home/database.ts";

/** What came over a channel: a message, a press on a button. `body` is the channel's own, and is gone when it is done. */
export type ChannelUpdate = {
  readonly scope: Scope;
  readonly channel: string;
  /** The channel's own id for it: what comes twice is one. */
  readonly id: string;
  readonly address: string;
  readonly body: string;
  readonly at: string;
  readonly state: "waiting" | "taken" | "done" | "dead";
  readonly tries: number;
  readonly turn: string | null;
  readonly failure: string | null;
};

export type NewChannelUpdate = Pick<ChannelUpdate, "scope" | "channel" | "id" | "address" | "body"> & {
  /** When it was sent, where the channel says so; else it is now. */
  readonly at?: string;
  /** Only while the chat is still this user's: who was erased, or unlinked it, meanwhile leaves nothing. */
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
