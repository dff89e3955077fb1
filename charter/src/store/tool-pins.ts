import { Problem } from "../prompt/problem.ts";
import { requireAgent } from "./agents.ts";
import type { StoreDeps } from "./deps.ts";
import { recordEvent } from "./event.ts";
import type { Database } from "./home/database.ts";
import { findRecords, lockNamed, matching, onPage, type Page, putInto } from "./home/query.ts";
import { listOf, raw, sql } from "./home/sql.ts";
import { digest, id, json, name, oneOf, type RecordOf, table, text, time } from "./home/table.ts";

/** Pinned definitions of the tools of other servers, and the definitions held in their place, each with its digest. */
export const toolPins = table(
  "tool_pins",
  {
    of: "agent",
    key: ["agent", "server", "tool"],
    indexes: { tool_pins_id: "(id)", tool_pins_waiting: "(agent) where status = 'waiting'" },
  },
  {
    /** Id of the decision: it is new each time something is held, so that a person decides only about what was shown under it. */
    id: id(),
    server: name(),
    tool: name(),
    status: oneOf("pinned", "waiting", "rejected"),
    /** The pinned definition, as JSON, and its digest; null for a tool that was held when it was first seen. */
    digest: digest().nullable(),
    definition: text().nullable(),
    /** The definition that waits for a person, and its digest. */
    nextDigest: digest().nullable(),
    nextDefinition: text().nullable(),
    /** Reasons why it is held. */
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
  /** Definition of the tool, as JSON. */
  readonly definition: string;
  /** Findings that a person should look at; a new tool with none may be offered at once. */
  readonly reasons: readonly string[];
};

/**
 * A tool of another server as one agent has it: the pinned definition, and the one that waits for a person in its place.
 *
 * `status`: a "pinned" tool is offered. While it is "waiting" or "rejected", `next…` holds what the server says now, and nothing
 * is offered.
 */
export type ToolPin = RecordOf<typeof toolPins> & {
  /** Tools under the same id besides this one: they were first seen together, and are decided together. */
  readonly others?: readonly Pick<ToolPin, "tool" | "definition" | "nextDefinition">[];
};

/**
 * `store.pins`: the tool definitions of other servers that each agent accepts. A tool that changes waits for a person.
 *
 * @opaque
 */
export type ToolPins = {
  /** Lists pins by server and name; tools that are decided together are one entry. */
  readonly list: (about?: Page & { agent?: string; server?: string; status?: ToolPin["status"] }) => Promise<ToolPin[]>;
  /** Lists all pins of one agent and server. */
  readonly of: (agent: string, server: string) => Promise<ToolPin[]>;
  /**
   * Compares what a server offers now with the pins. A new tool without findings is pinned; with `first: "ask"` all new tools are
   * held together under one id. A tool that differs from its pin is held. Returns all pins of the server.
   */
  readonly see: (
    agent: string,
    server: string,
    tools: readonly SeenTool[],
    about?: { readonly first?: "screen" | "ask" | undefined },
  ) => Promise<ToolPin[]>;
  readonly get: (id: string) => Promise<ToolPin>;
  /** Offers the tool as it was held from now on, with the others under its id. */
  readonly approve: (id: string, by: string) => Promise<ToolPin>;
  /** Refuses the held definition: the tool is not offered as it was held. */
  readonly reject: (id: string, by: string, because?: string) => Promise<ToolPin>;
};

/**
 * Creates `store.pins`. Pins belong to an agent, whoever it talks to; they are read and written beside its turns, with the
 * operator's reach.
 */
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
        recordPin(db, now(), status === "pinned" ? "tool-approved" : "tool-rejected", { ...pin, tool }, { by });
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
          recordPin(db, now(), kind, { id, agent, server, tool: tool.tool }, { digest, because: reasons });
        }
        return pinsOf(db, agent, server);
      });
    },
    get: (id) => home.read("everything", (db) => findPin(db, id)),
    approve: (id, by) => decide(id, "pinned", by),
    reject: (id, by, because) => decide(id, "rejected", by, because),
  };
}

/** Policy for new tools without findings: pin them, or ask a person. */
type FirstSight = "screen" | "ask";

/**
 * Decides about a tool that was seen: it is unchanged, it is pinned as it is now, it is held, or a person is asked about it
 * together with the other new ones.
 */
function becomes(
  pin: ToolPin | undefined,
  { digest, reasons }: SeenTool,
  first: FirstSight,
): "same" | "pinned" | "held" | "asked" {
  if (pin === undefined) return reasons.length > 0 ? "held" : first === "ask" ? "asked" : "pinned";
  // A definition that was accepted before is accepted again when the server goes back to it.
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
  const ofServer = sql`select * from tool_pins where agent = ${agent} and server = ${server}`;
  return findRecords(db, toolPins, sql`${ofServer} order by tool${db.dialect.bytewise}`);
}

/** SQL condition: another tool under the same id comes before this one. */
const isAfterOther = ({ dialect: { bytewise } }: Database) =>
  sql`exists (select 1 from tool_pins o where o.id = t.id and o.tool${bytewise} < t.tool${bytewise})`;

/** Adds to each pin the later ones with the same id. */
async function withOthers(db: Database, pins: readonly ToolPin[]): Promise<ToolPin[]> {
  if (pins.length === 0) return [];
  const laterOnes = sql`select * from tool_pins t where id in ${listOf(pins.map(({ id }) => id))} and ${isAfterOther(db)}`;
  const others = await findRecords(db, toolPins, sql`${laterOnes} order by tool${db.dialect.bytewise}`);
  const byId = Map.groupBy(others, ({ id }) => id);
  return pins.map((pin) => {
    const siblings = byId
      .get(pin.id)
      ?.map(({ tool, definition, nextDefinition }) => ({ tool, definition, nextDefinition }));
    return { ...pin, ...(siblings ? { others: siblings } : {}) };
  });
}

async function findPin(db: Database, id: string): Promise<ToolPin> {
  const first = sql`select * from tool_pins where id = ${id} order by tool${db.dialect.bytewise} limit 1`;
  const [pin] = await withOthers(db, await findRecords(db, toolPins, first));
  if (pin) return pin;
  throw new Problem("unknown-tool", `There is no held tool “${id}”.`, "List what is waiting with `charter approvals`.");
}

type PinnedThing = Pick<ToolPin, "id" | "agent" | "server" | "tool">;

function recordPin(db: Database, at: string, kind: string, pin: PinnedThing, more: object): void {
  const { id, agent, server, tool } = pin;
  recordEvent(db, at, { scope: { agent }, kind, detail: { held: id, server, tool, ...more } });
}

function alreadyDecided({ id, server, tool, status, decidedAt }: ToolPin): Problem {
  const what = status === "pinned" ? "was approved" : "was rejected";
  return new Problem(
    "already-decided",
    `“${id}”, the tool “${tool}” of “${server}”, ${what}${decidedAt === null ? "" : ` since ${decidedAt}`}.`,
    "List what is waiting with `charter approvals`.",
  );
}
