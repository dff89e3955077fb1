import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { listOf, raw, sql } from "../home/sql.ts";
import { becomes, type FirstSight, type SeenTool, type ToolPin, type ToolPinRow, toolPinOf } from "./tool-pin-row.ts";

/** `store.pins`: what tools of other servers are offered as, for each agent. One that changes waits for a person. */
export type ToolPins = {
  /** By server and name; those of every status, unless one is given. Those that are decided together are one. */
  readonly list: (about?: Page & { agent?: string; server?: string; status?: ToolPin["status"] }) => Promise<ToolPin[]>;
  /** Those of one agent and server, all of them. */
  readonly of: (agent: string, server: string) => Promise<ToolPin[]>;
  /**
   * Says what a server offers now. What is seen first, and has nothing to look at, is pinned, or with `first: "ask"` held
   * together under one id; what is not as it was pinned is held. Returns all pins of the server.
   */
  readonly see: (
    agent: string,
    server: string,
    tools: readonly SeenTool[],
    about?: { readonly first?: "screen" | "ask" | undefined },
  ) => Promise<ToolPin[]>;
  readonly get: (id: string) => Promise<ToolPin>;
  /** From now on it is offered as it was held, with the others under its id. */
  readonly approve: (id: string, by: string) => Promise<ToolPin>;
  /** It is not offered as it was held. */
  readonly reject: (id: string, by: string, because?: string) => Promise<ToolPin>;
};

/** They are an agent's, whoever it talks to, and are read and written beside its turns, in the operator's reach. */
export function createToolPins({ home, now, newId }: StoreDeps): ToolPins {
  const of = (agent: string, server: string) => home.read("everything", (db) => pinsOf(db, agent, server));
  const decide = async (id: string, status: "pinned" | "rejected", by: string, because?: string) =>
    home.write("everything", async (db) => {
      const pin = await findPin(db, id);
      if (pin.status !== "waiting") throw alreadyDecided(pin);
      const decided = sql`decided_at = ${now()}, decided_by = ${by}, decided_because = ${because ?? null}`;
      const stands = sql`digest = next_digest, definition = next_definition, next_digest = ${null},
        next_definition = ${null}, because = '[]', `;
      await db.run(sql`update tool_pins set ${status === "pinned" ? stands : raw("")} status = ${status}, ${decided}
        where id = ${id} and status = 'waiting'`);
      for (const { tool } of [pin, ...(pin.others ?? [])])
        await recordPin(db, now(), status === "pinned" ? "tool-approved" : "tool-rejected", { ...pin, tool }, { by });
      return findPin(db, id);
    });
  return {
    list: ({ agent, server, status, ...page } = {}) =>
      home.read("everything", async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<ToolPinRow>(sql`select * from tool_pins t where not exists
            (select 1 from tool_pins o where o.id = t.id and o.tool${db.dialect.bytewise} < t.tool${db.dialect.bytewise})
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${server === undefined ? raw("") : sql`and server = ${server}`}
          ${status === undefined ? raw("") : sql`and status = ${status}`}
          order by agent${db.dialect.bytewise}, server${db.dialect.bytewise}, tool${db.dialect.bytewise}
          limit ${limit} offset ${offset}`);
        return withOthers(db, rows);
      }),
    of,
    see: async (agent, server, tools, { first = "screen" } = {}) => {
      const known = await of(agent, server);
      const news = changes(known, tools, first);
      if (news.length === 0) return known;
      return home.write("everything", async (db) => {
        const lock = db.dialect.lock(JSON.stringify(["pins", agent, server]));
        if (lock) await db.all(lock);
        await requireAgent(db, agent);
        const together = newId();
        for (const { tool, to } of changes(await pinsOf(db, agent, server), tools, first)) {
          const id = to === "asked" ? together : newId();
          await keep(db, { id, agent, server, at: now(), tool, to });
          const kind = to === "pinned" ? "tool-pinned" : to === "asked" ? "tool-seen" : "tool-changed";
          const { digest, reasons } = tool;
          await recordPin(db, now(), kind, { id, agent, server, tool: tool.tool }, { digest, because: reasons });
        }
        return pinsOf(db, agent, server);
      });
    },
    get: (id) => home.read("everything", (db) => findPin(db, id)),
    approve: (id, by) => decide(id, "pinned", by),
    reject: (id, by, because) => decide(id, "rejected", by, because),
  };
}

function changes(known: readonly ToolPin[], tools: readonly SeenTool[], first: FirstSight) {
  return tools.flatMap((tool) => {
    const to = becomes(
      known.find((pin) => pin.tool === tool.tool),
      tool,
      first,
    );
    return to === "same" ? [] : [{ tool, to }];
  });
}

type KeptPin = Pick<ToolPin, "id" | "agent" | "server" | "at"> & {
  readonly tool: SeenTool;
  readonly to: "pinned" | "held" | "asked";
};

async function keep(db: Database, { id, agent, server, at, tool, to }: KeptPin): Promise<void> {
  const { digest, definition, reasons } = tool;
  const undecided = sql`decided_at = ${null}, decided_by = ${null}, decided_because = ${null}`;
  if (to === "pinned")
    await db.run(sql`insert into tool_pins (id, agent, server, tool, status, digest, definition, because, at)
      values (${id}, ${agent}, ${server}, ${tool.tool}, 'pinned', ${digest}, ${definition}, '[]', ${at})
      on conflict (agent, server, tool) do update set id = excluded.id, status = 'pinned', next_digest = ${null},
        next_definition = ${null}, because = '[]', at = excluded.at, ${undecided}`);
  else
    await db.run(sql`insert into tool_pins (id, agent, server, tool, status, next_digest, next_definition, because, at)
      values (${id}, ${agent}, ${server}, ${tool.tool}, 'waiting', ${digest}, ${definition}, ${JSON.stringify(reasons)}, ${at})
      on conflict (agent, server, tool) do update set id = excluded.id, status = 'waiting',
        next_digest = excluded.next_digest, next_definition = excluded.next_definition, because = excluded.because,
        at = excluded.at, ${undecided}`);
}

async function pinsOf(db: Database, agent: string, server: string): Promise<ToolPin[]> {
  const rows = await db.all<ToolPinRow>(sql`select * from tool_pins where agent = ${agent} and server = ${server}
    order by tool${db.dialect.bytewise}`);
  return rows.map(toolPinOf);
}

/** Each with those that have its id and come after it. */
async function withOthers(db: Database, rows: readonly ToolPinRow[]): Promise<ToolPin[]> {
  if (rows.length === 0) return [];
  const others = await db.all<ToolPinRow>(sql`select * from tool_pins t where id in ${listOf(rows.map(({ id }) => id))}
    and exists (select 1 from tool_pins o where o.id = t.id and o.tool${db.dialect.bytewise} < t.tool${db.dialect.bytewise})
    order by tool${db.dialect.bytewise}`);
  const byId = Map.groupBy(others, ({ id }) => id);
  return rows.map((row) => {
    const same = (byId.get(row.id) ?? []).map(toolPinOf);
    const shown = same.map(({ tool, definition, nextDefinition }) => ({ tool, definition, nextDefinition }));
    return { ...toolPinOf(row), ...(shown.length === 0 ? {} : { others: shown }) };
  });
}

async function findPin(db: Database, id: string): Promise<ToolPin> {
  const rows = await db.all<ToolPinRow>(sql`select * from tool_pins where id = ${id}
    order by tool${db.dialect.bytewise} limit 1`);
  const [pin] = await withOthers(db, rows);
  if (pin) return pin;
  throw new Problem("unknown-tool", `There is no held tool “${id}”.`, "List what is waiting with `charter approvals`.");
}

type PinnedThing = Pick<ToolPin, "id" | "agent" | "server" | "tool">;

async function recordPin(db: Database, at: string, kind: string, pin: PinnedThing, more: object): Promise<void> {
  const { id, agent, server, tool } = pin;
  await recordEvent(db, at, { scope: { agent }, kind, detail: { held: id, server, tool, ...more } });
}

function alreadyDecided({ id, server, tool, status, decidedAt }: ToolPin): Problem {
  const what = status === "pinned" ? "was approved" : "was rejected";
  return new Problem(
    "already-decided",
    `“${id}”, the tool “${tool}” of “${server}”, ${what}${decidedAt === null ? "" : ` since ${decidedAt}`}.`,
    "List what is waiting with `charter approvals`.",
  );
}
