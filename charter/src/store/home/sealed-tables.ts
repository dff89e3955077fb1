/** A table whose rows are under a seal: for each owner how many there are, and the sum of their digests. */
export type SealedTable = {
  readonly table: string;
  /** What a seal covers. Left out: who holds a row and until when, when it was last used, what it is found by. */
  readonly columns: readonly string[];
  /** The columns that name the owner; none where every row is everyone's. */
  readonly agent: string | undefined;
  readonly user: string | undefined;
};

function sealed(table: string, columns: string, owner: Partial<SealedTable> = {}): SealedTable {
  return { table, columns: columns.split(/\s+/), agent: "agent", user: "user_id", ...owner };
}

const agentAlone = { user: undefined };

/**
 * What is under a seal: all that people and operators put into a store and that is in no chain, but for what every turn
 * writes.
 */
export const sealedTables: readonly SealedTable[] = [
  sealed("agents", "name charter model settings frozen created_at updated_at label removed_at fallbacks", {
    agent: "name",
    user: undefined,
  }),
  sealed("users", "id zone created_at", { agent: undefined, user: "id" }),
  sealed("tokens", "id digest name agent user_id rights created_at expires_at revoked_at"),
  sealed("memories", "number id agent user_id key words folded tainted turn at"),
  sealed(
    "schedules",
    `id agent user_id title cron zone input channel next_at last_at ended_at missed overlap most_tries next_zone`,
  ),
  sealed("runs", "id agent user_id schedule due_at state tries next_try_at turn because started_at ended_at"),
  sealed("conversations", "agent user_id last_at active exchanges"),
  sealed("exchanges", "agent user_id number message sender_body agent_reply turn at"),
  sealed(
    "inbox",
    `id agent user_id sender body at status tries turn failure channel lane round draft secret secret_until`,
  ),
  sealed("outbox", "id agent user_id body at turn message sent_at"),
  sealed("lanes", "agent lane served", agentAlone),
  sealed("message_ids", "agent digest until", agentAlone),
  sealed(
    "chain_messages",
    "agent message user_id chain contract on_chain tx place block block_hash value state withdrawn at cycles",
  ),
  sealed(
    "chain_replies",
    `agent reply user_id message chain contract on_chain state raw tx nonce fee at sent_at block block_hash reason`,
  ),
  sealed("spending", "agent user_id day receiver micros input read written output"),
  sealed("totals", "agent micros turns", agentAlone),
  sealed(
    "automata",
    `agent state state_at turn tier good_checks granted spent_before asleep_until own_turn_at away_since away_because
      away_turn earned_on earned`,
    agentAlone,
  ),
  sealed(
    "held",
    `id agent user_id section proposal refusals before_words after_words at key status decided_at decided_by because
      revision`,
  ),
  sealed(
    "held_calls",
    `id agent user_id turn step call call_digest tool input because at status decided_at decided_by decided_because
      taken_at ended_at result place`,
  ),
  sealed(
    "tool_pins",
    `agent server tool id status digest definition next_digest next_definition because at decided_at decided_by
      decided_because`,
    agentAlone,
  ),
  sealed("links", "agent user_id channel address at"),
  sealed("identities", "agent user_id issuer subject at"),
  sealed("link_codes", "digest agent user_id channel at expires_at used_at"),
  sealed("updates", "agent user_id channel id address body at state tries turn failure"),
  sealed("dispatches", "id agent user_id channel address body extra at turn state tries next_try_at failure sent_at"),
  sealed(
    "publications",
    `agent id section revision address created_at body at state tries next_try_at taken missed settled_at`,
    agentAlone,
  ),
  sealed("heads", "agent section address id created_at digest place body at", agentAlone),
  sealed("attachments", "agent user_id digest media_type size at erased_at"),
];

/** Whose a row is, as two expressions; `row` is what its columns are called by, as in `new.`. */
export function ownerOf({ agent, user }: SealedTable, row = ""): readonly [agent: string, user: string] {
  const named = (column: string | undefined) => (column === undefined ? "''" : `coalesce(${row}${column}, '')`);
  return [named(agent), named(user)];
}
