import { traitsOf } from "../../host/load.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import { sql } from "../../store/home/sql.ts";
import type { Store } from "../../store/store.ts";
import { trustedAgent } from "./trusted-database.ts";

/** Whether an agent is written to and may live by itself: its charter says so. */
export async function hasInbox(store: Store, agent: AgentRecord): Promise<boolean> {
  const { declaration } = await trustedAgent(agent, store, {});
  return traitsOf(declaration).needs.includes("inbox");
}

/** A message to any other agent would wait for ever. */
export async function checkInbox(store: Store, agent: AgentRecord): Promise<void> {
  if (await hasInbox(store, agent)) return;
  throw new Problem(
    "no-inbox",
    `The charter of “${agent.name}” has no inbox.`,
    "Name an agent whose charter needs one, such as “sovereign”.",
  );
}

type MessageCounts = Readonly<Record<InboxMessage["status"], number>>;

export async function countMessages({ home }: Store, agent: string): Promise<MessageCounts> {
  const rows = await home.read("everything", (db) =>
    db.all<{ status: InboxMessage["status"]; count: number | bigint | string }>(
      sql`select status, count(*) as count from inbox where agent = ${agent} group by status`,
    ),
  );
  const none = { waiting: 0, taken: 0, answered: 0, dead: 0, withdrawn: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])) };
}
