import { Problem } from "../prompt/problem.ts";
import { requireAgent } from "./agents.ts";
import type { StoreDeps } from "./deps.ts";
import { recordEvent } from "./event.ts";
import type { Database } from "./home/database.ts";
import { findRecords, lockNamed, matching, onPage, type Page, putInto } from "./home/query.ts";
import { listOf, raw, sql } from "./home/sql.ts";
import { digest, id, json, name, oneOf, type RecordOf, table, text, time } from "./home/table.ts";

/** What each tool of another server is offered as, and what is held in its place, with their digests. */
export const toolPins = table(
  "tool_pins",
  {
    of: "agent",
    key: ["agent", "server", "tool"],
    indexes: { tool_pins_id: "(id)", tool_pins_waiting: "(agent) where status = 'waiting'" },
  },
  {
    /** New with everything that is held: who decides about an id decides about all that was shown under it. */
    id: id(),
    server: name(),
    tool: name(),
    status: oneOf("pinned", "waiting", "rejected"),
    /** What stands: its definition, as JSON, and the digest of that. Nothing stood before, where it was held at first sight. */
    digest: digest().nullable(),
    definition: text().nullable(),
    /** What is held. */
    nextDigest: digest().nullable(),
    nextDefinition: text().nullable(),
    /** Why it is held. */
    reasons: json<readonly string[]>(),
    at: time(),
    decidedAt: time().nullable(),
    decidedBy: name().nullable(),
    decisionReason: text().nullable(),
  },
);

/** A tool as its server describes it now. */
export type SeenTool = {
  readonly tool: string;
  readonly digest: string;
  /** As JSON. */
  readonly definition: string;
  /** What a person should look at; none: it may be offered as it is, if it was never seen before. */
  readonly reasons: readonly string[];
};

/**
 * A tool of another server, as an agent has it: what it is offered as, and what waits for a person in its place.
 *
 * `status`: "pinned" is offered. While "waiting" or "rejected", `next` is what the server says now, and nothing is offered.
 */
export type ToolPin = RecordOf<typeof toolPins> & {
  /** The other tools under the same id: they were first seen together, and are decided together. */
  readonly others?: readonly Pick<ToolPin, "tool" | "definition" | "nextDefinition">[];
};

/**
 * `store.pins`: what tools of other servers are offered as, for each agent. One that changes waits for a person.
 *
 * @opaque
 */
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
      const decided = sql`decided_at = ${now()}, decided_by = ${by}, decision_reason = ${because ?? null}`;
      const stands = sql`digest = next_digest, definition = next_definition, next_digest = ${null},
        next_definition = ${null}, reasons = '[]', `;
      await db.run(sql`update tool_pins set ${status === "pinned" ? stands : raw("")} status = ${status}, ${decided}
        where id = ${id} and status = 'waiting'`);
      for (const { tool } of [pin, ...(pin.others ?? [])])
        await recordPin(db, now(), status === "pinned" ? "tool-approved" : "tool-rejected", { ...pin, tool }, { by });
      return findPin(db, id);
    });
  return {
    list: ({ agent, server, status, ...page } = {}) =>
      home.read("everything", async (db) => {
        const { bytewise } = db.dialect;
        const firsts = sql`select * from tool_pins t where not ${isAfterOther(db)}
          and ${matching({ agent, server, status })}
          order by agent${bytewise}, server${bytewise}, tool${bytewise} ${onPage(page)}`;
        return withOthers(db, await findRecords(db, toolPins, firsts));
      }),
    of,
    see: async (agent, server, tools, { first = "screen" } = {}) => {
      const known = await of(agent, server);
      const news = changes(known, tools, first);
      if (news.length === 0) return known;
      return home.write("everything", async (db) => {
        await lockNamed(db, ["pins", agent, server]);
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

/** What is done with tools at first sight that the screen lets through: they are pinned, or a person is asked. */
type FirstSight = "screen" | "ask";

/**
 * What becomes of a tool that was seen: it stands as it is, it is pinned as it is now, it is held, or it is asked about
 * with the others that are seen for the first time.
 */
function becomes(
  pin: ToolPin | undefined,
  { digest, reasons }: SeenTool,
  first: FirstSight,
): "same" | "pinned" | "held" | "asked" {
  if (pin === undefined) return reasons.length > 0 ? "held" : first === "ask" ? "asked" : "pinned";
  // A server that says again what a person or the screen let through is believed again.
  if (pin.digest === digest) return pin.status === "pinned" ? "same" : "pinned";
  return pin.status !== "pinned" && pin.nextDigest === digest ? "same" : "held";
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
  const undecided = { decidedAt: null, decidedBy: null, decisionReason: null };
  const stands = { status: "pinned", digest, definition, nextDigest: null, nextDefinition: null, reasons: [] } as const;
  const waits = { status: "waiting", nextDigest: digest, nextDefinition: definition, reasons } as const;
  const about = { id, agent, server, tool: tool.tool, at, ...undecided };
  await db.run(putInto(toolPins, { ...about, ...(to === "pinned" ? stands : waits) }));
}

function pinsOf(db: Database, agent: string, server: string): Promise<ToolPin[]> {
  const those = sql`select * from tool_pins where agent = ${agent} and server = ${server}`;
  return findRecords(db, toolPins, sql`${those} order by tool${db.dialect.bytewise}`);
}

/** Whether another under the same id comes before it. */
const isAfterOther = ({ dialect: { bytewise } }: Database) =>
  sql`exists (select 1 from tool_pins o where o.id = t.id and o.tool${bytewise} < t.tool${bytewise})`;

/** Each with those that have its id and come after it. */
async function withOthers(db: Database, pins: readonly ToolPin[]): Promise<ToolPin[]> {
  if (pins.length === 0) return [];
  const those = sql`select * from tool_pins t where id in ${listOf(pins.map(({ id }) => id))} and ${isAfterOther(db)}`;
  const others = await findRecords(db, toolPins, sql`${those} order by tool${db.dialect.bytewise}`);
  const byId = Map.groupBy(others, ({ id }) => id);
  return pins.map((pin) => {
    const same = byId
      .get(pin.id)
      ?.map(({ tool, definition, nextDefinition }) => ({ tool, definition, nextDefinition }));
    return { ...pin, ...(same ? { others: same } : {}) };
  });
}

async function findPin(db: Database, id: string): Promise<ToolPin> {
  const first = sql`select * from tool_pins where id = ${id} order by tool${db.dialect.bytewise} limit 1`;
  const [pin] = await withOthers(db, await findRecords(db, toolPins, first));
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
