import { createHost } from "../../host/create-host.ts";
import type { Host } from "../../host/host.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import { sql } from "../../store/home/sql.ts";
import type { Store } from "../../store/store.ts";
import { acpHere, keysHere, mcpHere, modelsHere } from "./config-keys.ts";
import { environmentHere } from "./trust/directory-settings.ts";
import { checkCharterFile } from "./trusted-database.ts";

/** Who knows what an agent's charter needs and what its model costs; a charter's file is run only if it is trusted. */
export async function hostOf(store: Store): Promise<Host> {
  const { models, model, window, limits } = await modelsHere();
  const checkCharter = (agent: AgentRecord) => checkCharterFile(store, agent);
  return createHost({
    store,
    env: await environmentHere(),
    models,
    model,
    window,
    limits,
    keys: keysHere,
    acp: acpHere,
    mcp: mcpHere,
    checkCharter,
  });
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
