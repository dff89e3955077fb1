export type SchemaStep = keyof typeof tablesOf;

/** Tables with an agent and a user in every row, by the step of the schema that made them. */
export const tablesOf = {
  1: [
    "standings",
    "amendments",
    "held",
    "memories",
    "conversations",
    "exchanges",
    "inbox",
    "outbox",
    "sessions",
    "turns",
    "steps",
    "events",
    "schedules",
  ],
  2: ["spending", "held_calls"],
  3: ["runs", "links", "link_codes", "updates", "dispatches"],
  4: [],
  5: [],
  6: [],
  7: [],
  8: ["vectors", "attachments"],
  9: ["turn_words"],
  10: ["chain_messages", "chain_replies"],
  11: ["identities"],
} as const;

/** Tables with an agent in every row and nobody else. */
export const agentTables = [
  "automata",
  "totals",
  "lanes",
  "message_ids",
  "publications",
  "heads",
  "tool_pins",
  "chain_cursors",
  "chain_blocks",
  "chain_balances",
] as const;

/** Tables of the store itself that no scope may touch: the operator's reach alone. */
export const closedTables = ["tokens", "windows", "refused_kinds", "seals"] as const;

/** All of them: what isolation, erasure and checkpoints go by. */
export const scopedTables = [
  ...tablesOf[1],
  ...tablesOf[2],
  ...tablesOf[3],
  ...tablesOf[8],
  ...tablesOf[9],
  ...tablesOf[10],
  ...tablesOf[11],
] as const;
