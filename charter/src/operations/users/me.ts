import { attachmentLimits, attachmentSettingsOf } from "../../agent/attachments.ts";
import type { Scope } from "../../amend/amendment.ts";
import { isStandInName } from "../../delivery/models/provider.ts";
import type { Host } from "../../host/host.ts";
import { allSections, sectionScope } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentExport } from "../../store/lifecycle/export.ts";
import { notFound, onlyInbox, ownScopeFor, type Person, selfFor } from "../caller.ts";
import { agent, anything, flag, list, object, oneOf, record, text, time, user, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { zone } from "./users.ts";

/** Maximum number of waiting decisions that are counted. */
const maxCounted = 100;

const chatPage = object({
  agent: object({
    name: text().told(),
    label: text("What people call it, where that is another name.").told().nullable(),
  }).told(),
  user: text().told(),
  zone: text().told().nullable(),
  session: object(
    { id: text().told(), startedAt: time().told(), lastAt: time().told() },
    "The session that the next turn on the web continues; null: a new one starts.",
  )
    .told()
    .nullable(),
  sections: list(
    object({ name: text().told(), heading: text().told().nullable(), revision: whole().told() }),
    "The user's own, which they may change.",
  ).told(),
  telegram: object({
    possible: flag("This server knows the agent's bot: a code comes with an address.").told(),
    linked: whole("How many chats are linked.").told(),
  }).told(),
  files: object(
    { kinds: list(text()).told(), maxBytes: whole().told(), maxCount: whole().told() },
    "Which pictures and files come with a turn, how large and how many; null: none.",
  )
    .told()
    .nullable(),
  waiting: whole("How many approvals wait for the user; 100 means 100 or more.").told(),
  standIn: flag("A script stands in for a model: it answers, and understands little.").told(),
}).named("ChatPage", "What the page for users shows first.");

/** Data the page for users needs first, in one answer. */
const showPage = operation({
  name: "me.page",
  says: "Get what the page for users shows first",
  about: "The agent, the user, the session and what is waiting, in one answer.",
  route: "GET /page",
  who: "person",
  input: { agent: agent.says("The agent; default: that of the session at `/chat`.").optional(), user },
  answer: chatPage,
  statuses: { 200: "What the page shows first." },
  refuses: [404],
  run: async (context, { agent: namedAgent, user }) => {
    const agent = namedAgent ?? selfFor(context.caller as Person, context.operator).agent;
    if (agent === undefined) throw notFound("agent without a name");
    return pageOf(context, await ownScopeFor(context, agent, user));
  },
});

async function pageOf(context: OperationContext, scope: Required<Scope>) {
  const { store, service } = context;
  const host = await context.host();
  const waits = { ...scope, status: "waiting", limit: maxCounted } as const;
  const [agent, looked, user, session, links, held, calls, standIn] = await Promise.all([
    store.agents.get(scope.agent),
    host.snapshot(scope),
    store.users.find(scope.user),
    store.sessions.latest(scope, "web"),
    store.links.of(scope),
    store.held.list(waits),
    store.calls.list(waits),
    isAnsweredByScript(host, scope.agent),
  ]);
  const { charter, turn } = looked.declaredTurn;
  const sections = allSections(charter).flatMap(({ section, layer }) => {
    const { name, heading = null } = section;
    const standing = turn.standing[name];
    const revision = standing && "revision" in standing ? standing.revision : 0;
    return sectionScope(section, layer) === "user" ? [{ name, heading, revision }] : [];
  });
  const attachments = attachmentSettingsOf(
    agent.settings.attachments,
    `The settings of “${agent.name}”`,
    "bad-settings",
  );
  return {
    agent: { name: agent.name, label: agent.label ?? null },
    user: scope.user,
    zone: user?.zone ?? null,
    session: session ? { id: session.id, startedAt: session.startedAt, lastAt: session.lastAt } : null,
    sections,
    telegram: {
      possible: service.linkUrl?.({ agent: scope.agent, channel: "telegram", code: "-" }) !== undefined,
      linked: links.filter(({ channel }) => channel === "telegram").length,
    },
    files: attachmentLimits(attachments) ?? null,
    waiting: Math.min(held.length + calls.length, maxCounted),
    standIn,
  };
}

/** Checks whether the stand-in answers for an agent; false if no model can be asked: the next message gets the reason. */
async function isAnsweredByScript({ modelOf }: Host, agent: string): Promise<boolean> {
  try {
    return isStandInName((await modelOf(agent)).receiver.name);
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

const me = object({
  id: text("What the caller is called in limits and logs; no secret.").told(),
  kind: oneOf(["operator", "user", "agent"]).told(),
  by: oneOf(["token", "jwt", "cookie", "chat-cookie", "command"]).told(),
  user: text("Who is asking; of an operator: who they are when they chat.").told().nullable(),
  agent: text("The only agent this token opens, where there is one.").told().nullable(),
  zone: zone.says("The time zone of that user.").told(),
  command: object(
    { name: text(), options: text() },
    "For operators: how the command is typed where the server runs, and how it reaches this database.",
  )
    .example({ name: "npx charter", options: "" })
    .optional(),
  demo: oneOf([true], "This server is a demo: everything in it is made up.").told().optional(),
  tries: list(
    object({ agent: text(), say: text(), result: text() }),
    "In a demo: what to say to which agent, and what happens then.",
  ).optional(),
}).named("Me", "Who is asking, as their token says.");

const showMe = operation({
  name: "me.show",
  says: "Get the caller: who this token belongs to",
  route: "GET /me",
  who: "anyone",
  input: {},
  answer: me,
  statuses: { 200: "The caller." },
  run: describeCaller,
});

const setMe = operation({
  name: "me.set",
  says: "Set the caller's time zone",
  route: "PATCH /me",
  who: "person",
  example: { zone: "Asia/Kolkata" },
  input: { zone },
  answer: me,
  statuses: { 200: "The caller, with the time zone; it applies from the next turn on." },
  run: async (context, { zone }) => {
    await context.store.users.setZone({ id: selfOf(context).user, zone });
    return describeCaller(context);
  },
});

async function describeCaller({ store, caller, operator, service }: OperationContext): Promise<(typeof me)["holds"]> {
  if (caller.kind === "inbox" || caller.kind === "signer") throw onlyInbox();
  const { id, kind, by } = caller;
  const user = caller.kind === "operator" ? operator : (caller.user ?? null);
  const agent = caller.kind === "operator" ? null : (caller.agent ?? null);
  // A token of an agent's program acts for the agent, so its user's time zone is left out.
  const known = user === null || kind === "agent" ? undefined : await store.users.find(user);
  const { command, demo } = service;
  return {
    ...{ id, kind, by, user, agent, zone: known?.zone ?? null },
    ...(kind === "operator" && command ? { command } : {}),
    ...(demo ? { demo: true } : {}),
    ...(demo && kind === "operator" ? { tries: demo.tries } : {}),
  };
}

/** The caller as a user. The operation's `who` has made sure that it is a person. */
function selfOf({ caller, operator }: OperationContext): ReturnType<typeof selfFor> {
  return selfFor(caller as Person, operator);
}

const rows = list(record(anything())).told();

const exportMe = operation({
  name: "me.export",
  says: "Export the caller's own data",
  about:
    "What they said and were answered, instructions, notes, schedules, chats. What the operator wrote into prompts, and what it cost, is not in it: `charter export` has all.",
  route: "GET /me/export",
  who: "person",
  input: {},
  answer: object({
    user: text().told(),
    exportedAt: time().told(),
    zone: text().told().nullable(),
    agents: list(
      object({
        agent: text().told(),
        standing: list(
          object({
            section: anything().told(),
            revision: anything().told(),
            words: anything().told(),
            history: anything(),
          }),
          "Their instructions, each with its history.",
        ).told(),
        held: rows,
        calls: rows,
        memories: rows,
        turns: rows,
        attachments: rows.says("Pictures and files, each once by its digest, as base64."),
        sessions: rows,
        schedules: rows,
        runs: rows,
        links: rows,
        identities: rows.says("Who they are at the issuer they sign in at."),
        updates: rows,
        dispatches: rows,
      }),
    ).told(),
  }).named("OwnExport", "All data of a user. What the operator wrote is not in it."),
  statuses: { 200: "Everything, as JSON." },
  run: async (context) => {
    const exported = await context.store.export({ ...selfOf(context), prompts: false });
    const { user, exportedAt, zone, agents } = exported;
    return { user, exportedAt, zone, agents: agents.map(ownOf) };
  },
});

/** Columns of stored rows that a user may see of their own: no prompts, prices, models or processes. */
const own = {
  held: "id section proposal refusals before after at status decidedAt decidedBy decisionReason revision edited",
  calls: "id turn tool input reason at status decidedAt decidedBy decisionReason endedAt result",
  memories: "id key text tainted turn at",
  turns: "id session channel input attachments reply state tainted startedAt endedAt",
  attachments: "digest mediaType size data at erasedAt",
  sessions: "id channel startedAt lastAt endedAt",
  schedules: "id title cron zone input tainted channel nextAt lastAt endedAt",
  runs: "id schedule dueAt state turn startedAt endedAt",
  links: "channel address at",
  identities: "issuer subject at",
  updates: "channel address body at",
  dispatches: "channel address body at turn state sentAt",
} as const;

type Standing = { readonly [Name in "section" | "revision" | "words" | "history"]: unknown };

function ownOf(exported: AgentExport) {
  const { agent, standing } = exported;
  const tables = Object.entries(own).map(([table, columns]) => {
    const names = new Set(columns.split(" "));
    const rows = exported[table as keyof typeof own];
    return [table, rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name))))];
  });
  return {
    agent,
    standing: standing as unknown as readonly Standing[],
    ...(Object.fromEntries(tables) as Record<keyof typeof own, Record<string, unknown>[]>),
  };
}

const eraseMe = operation({
  name: "me.erase",
  says: "Erase the caller's own data",
  about:
    "All their text, tokens and sessions are deleted, and cannot be restored. At `/chat` only what that agent has of them is erased.",
  route: "POST /me/erase",
  who: "person",
  example: { confirm: "bo" },
  input: {
    confirm: text("The user's id, to confirm: this cannot be undone.").optional(),
    dryRun: flag("Only report what would be erased.").optional(),
  },
  answer: object({
    user: text().told(),
    erased: flag().told(),
    agents: list(text()).told(),
    rows: record(whole()).told(),
  }).named("OwnErasure", "What was erased, or would be, by table."),
  statuses: { 200: "What was erased, or would be." },
  run: async (context, { confirm, dryRun = false }) => {
    const self = selfOf(context);
    const { user } = self;
    if (!dryRun && confirm !== user)
      throw new Problem(
        "bad-confirmation",
        "Erasing was not confirmed: nothing is erased.",
        `Send “confirm” with the user's id, which is ${JSON.stringify(user)}.`,
      );
    const host = await context.host();
    const { agents, rows } = await (dryRun ? host.erasable(self) : host.erase(self));
    return { user, erased: !dryRun, agents, rows };
  },
});

export const operations = [showMe, setMe, exportMe, eraseMe, showPage];
