/** An agent in the store: its charter by name or file, its model, and the operator's settings for the charter. */
export type AgentRecord = {
  readonly name: string;
  readonly charter: string;
  readonly model: string | null;
  /** The models that are asked, in this order, where the first cannot answer. */
  readonly fallbacks?: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** What the operator has stopped: amendments, or the agent. */
  readonly frozen: "amendments" | "agent" | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What people call it; its name, unless given. It stands in no prompt, digest or address. */
  readonly label?: string;
  /** When it was removed: it takes no turns, and its name stays its own. */
  readonly removedAt?: string;
};

export type AgentRow = {
  name: string;
  charter: string;
  model: string | null;
  fallbacks: string | null;
  settings: string;
  frozen: AgentRecord["frozen"];
  created_at: string;
  updated_at: string;
  label: string | null;
  removed_at: string | null;
};

export function agentOf(row: AgentRow): AgentRecord {
  const { name, charter, model, frozen } = row;
  return {
    name,
    charter,
    model,
    ...(row.fallbacks === null ? {} : { fallbacks: JSON.parse(row.fallbacks) }),
    settings: JSON.parse(row.settings),
    frozen,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.label === null ? {} : { label: row.label }),
    ...(row.removed_at === null ? {} : { removedAt: row.removed_at }),
  };
}
