import { attachmentLimits, attachmentSettingsOf } from "../../agent/attachments.ts";
import type { Scope } from "../../amend/amendment.ts";
import { isStandInName } from "../../delivery/models/provider.ts";
import type { Host } from "../../host/host.ts";
import { allSections } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import { notFound, type Person, selfFor } from "../caller.ts";
import { agent, user } from "../common-fields.ts";
import { flag, list, object, text, time, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { ownScopeFor } from "../scope-for.ts";

/** So much is counted of what waits. */
const most = 100;

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

/** What the page for users shows first, in one answer. */
export const showPage = operation({
  name: "me.page",
  says: "Get what the page for users shows first",
  about: "The agent, the user, the session and what is waiting, in one answer.",
  route: "GET /page",
  who: "person",
  input: { agent: agent.says("The agent; default: that of the session at `/chat`.").optional(), user },
  answer: chatPage,
  statuses: { 200: "What the page shows first." },
  refuses: [404],
  run: async (context, { agent: named, user }) => {
    const agent = named ?? selfFor(context.caller as Person, context.operator).agent;
    if (agent === undefined) throw notFound("agent without a name");
    return pageOf(context, await ownScopeFor(context, agent, user));
  },
});

async function pageOf(context: OperationContext, scope: Required<Scope>) {
  const { store, service } = context;
  const host = await context.host();
  const waits = { ...scope, status: "waiting", limit: most } as const;
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
  const sections = allSections(charter).flatMap(({ section: { name, heading = null, scope: whose } }) => {
    const standing = turn.standing[name];
    const revision = standing && "revision" in standing ? standing.revision : 0;
    return whose === "user" ? [{ name, heading, revision }] : [];
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
    waiting: Math.min(held.length + calls.length, most),
    standIn,
  };
}

/** A model that cannot be asked is none; whoever says something is told why. */
async function isAnsweredByScript({ modelOf }: Host, agent: string): Promise<boolean> {
  try {
    return isStandInName((await modelOf(agent)).receiver.name);
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
