import { dollarText, inDollars } from "../../delivery/cost.ts";
import { defined } from "../../prompt/argument.ts";
import { readPage } from "../../store/home/query.ts";
import { actingScopeFor, agentScopeFor, notFound } from "../caller.ts";
import { agent, list, more, number, object, page, scope, text, time, total, user, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { columns, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import { operations as invitations } from "./invitations.ts";

const link = object({
  scope: scope.told(),
  channel: text().told(),
  address: text().told(),
  at: time().told(),
}).named("Link", "A chat that is a user's.");

const listLinks = operation({
  name: "links.list",
  says: "List a user's linked chats",
  route: "GET /agents/{agent}/links",
  who: "person",
  input: { agent, user, ...page },
  answer: object({ links: list(link).told(), more }).named("LinkList"),
  statuses: { 200: "The user's chats." },
  run: async (context, { agent, user, ...asked }) => {
    const all = await context.store.links.of(await agentScopeFor(context, agent, user));
    const { rows, more } = await readPage(async ({ limit, offset }) => all.slice(offset, offset + limit), asked);
    return { links: rows, more };
  },
});

const createLink = operation({
  name: "links.create",
  says: "Create a code that links a chat",
  about: "The chat that sends the code within ten minutes is linked to the user. A code works once.",
  route: "POST /agents/{agent}/links",
  command: "users link <user>",
  examples: [
    ["charter users link bo --agent ada", "print a code that links a Telegram chat to bo: once, in 10 minutes"],
  ],
  example: { channel: "telegram" },
  who: "person",
  input: {
    agent,
    user: text("The user's id.").example("bo").optional(),
    channel: text("Where the chat is: telegram, or a channel of your own.").usual("telegram"),
  },
  answer: object({
    code: text().example("7K3QW9ZD").told(),
    expiresAt: time().told(),
    url: text("Opens the chat and sends the code.").told().optional(),
  }).named("LinkCode", "Send it from the chat (/link CODE): once, within ten minutes."),
  statuses: { 201: "The code; it is shown only once." },
  run: async (context, { agent, user, channel }) => {
    const scope = await actingScopeFor(context, agent, user);
    const linkCode = await context.store.links.createCode(scope, channel);
    const url = context.service.linkUrl?.({ agent, channel, code: linkCode.code });
    return { ...linkCode, ...(url === undefined ? {} : { url }) };
  },
  lines: ({ code, expiresAt }, { agent, user }) => ({
    out: [code],
    err: [`“${user}” sends it to the bot of “${agent}”: /link ${code} (once, until ${timeText(expiresAt)} UTC).`],
  }),
});

const removeLink = operation({
  name: "links.remove",
  says: "Unlink a chat",
  about: "Messages still waiting to be sent there are dropped.",
  route: "DELETE /agents/{agent}/links/{channel}/{address}",
  who: "person",
  input: { agent, channel: text().example("telegram"), address: text().example("12345678"), user },
  answer: object({ unlinked: text().told() }).named("UnlinkResult"),
  statuses: { 200: "The chat is unlinked." },
  run: async (context, { agent, channel, address, user }) => {
    await context.store.links.remove(await agentScopeFor(context, agent, user), channel, address);
    return { unlinked: address };
  },
});

export const links = [listLinks, createLink, removeLink];

export const zone = text("The user's own time zone; prompts tell the time in it. Without one it is the operator's.")
  .example("Europe/Berlin")
  .option("zone")
  .nullable();
const id = text("The user's id.").example("bo");
const knownFacts = { id: text().example("bo"), zone, createdAt: time() };
const noOne = { turns: 0, failed: 0, micros: 0, lastAt: null };
const knownUser = object(knownFacts).named("User", "Someone an agent works for.");

const toldSums = {
  turns: whole(),
  failed: whole(),
  cost: number("In dollars, of everything whose price is known."),
  lastAt: time("When their last turn began; null: they took none.").nullable(),
};

const listUsers = operation({
  name: "users.list",
  says: "List users",
  route: "GET /users",
  command: "users [list]",
  examples: [["charter users", "whoever was set up, invited or linked, or took a turn"]],
  who: "operator",
  input: { prefix: text("Only ids that begin with it.").option("letters").optional(), ...page },
  answer: object({
    users: list(object({ ...knownFacts, ...toldSums, agents: list(text(), "With whom they took turns.") })),
    more,
    total,
  }).named("UserList", "By id, each with what they come to over all agents."),
  statuses: { 200: "By id." },
  run: async ({ store }, { prefix, ...asked }) => {
    const only = defined({ prefix });
    const { rows, more } = await readPage((one) => store.users.list({ ...one, ...only }), asked);
    const people = await store.overview.people(rows.map(({ id }) => id));
    const users = rows.map((one) => {
      const { micros, ...sums } = people.get(one.id) ?? { ...noOne, agents: [] };
      return { ...one, ...sums, cost: inDollars(micros) };
    });
    return { users, more, total: await store.users.count(only) };
  },
  lines: ({ users }) => {
    if (users.length === 0) return [hintsHere("There is no user here yet. Invite one: charter users invite bo")];
    const cells = users.map(({ id, zone, createdAt, turns, cost }) => [
      ...[id, zone ?? "–", timeText(createdAt), String(turns)],
      dollarText(cost),
    ]);
    return columns(["user", "time zone", "since (UTC)", "turns", "cost"], cells, process.stdout);
  },
});

const showUser = operation({
  name: "users.show",
  says: "Get a user",
  route: "GET /users/{user}",
  who: "operator",
  input: { user: id },
  answer: object({
    ...knownFacts,
    with: list(object({ agent: text(), ...toldSums, channels: list(text()) }), "Agent by agent, the latest first."),
  }).named("UserWithAgents", "A user, and what they come to with each agent."),
  statuses: { 200: "The user." },
  run: async ({ store }, { user: id }) => {
    const storedUser = await store.users.find(id);
    if (!storedUser) throw notFound(`user “${id}”`);
    const [person, taken] = await Promise.all([store.overview.person(id), store.users.agentsOf(id)]);
    const silent = taken.filter((agent) => !person.some((one) => one.agent === agent));
    const all = [...person, ...silent.map((agent) => ({ ...noOne, agent, channels: [] }))];
    return { ...storedUser, with: all.map(({ micros, ...one }) => ({ ...one, cost: inDollars(micros) })) };
  },
});

const put = {
  who: "operator",
  input: { user: id, zone: zone.optional() },
  answer: knownUser,
  /** An empty zone at the command removes the user's zone. */
  run: ({ store }: OperationContext, { user: id, zone }: { readonly user: string; readonly zone?: string | null }) =>
    store.users.put({ id, ...defined({ zone: zone === "" ? null : zone }) }),
  lines: ({ id, zone }: (typeof knownUser)["holds"]) => [
    zone === null ? `“${id}” has no time zone of their own.` : `The time zone of “${id}” is ${zone}.`,
  ],
} as const;

const createUser = operation({
  ...put,
  name: "users.create",
  says: "Add a user",
  command: "users create <user>",
  examples: [["charter users create bo --zone Europe/Berlin", "add a user, with or without a time zone"]],
  makesDatabase: true,
});

const setUser = operation({
  ...put,
  name: "users.set",
  says: "Create or change a user",
  about: "What is left out stays.",
  route: "PUT /users/{user}",
  command: "users set <user>",
  examples: [["charter users set bo --zone Europe/Berlin", 'change the time zone; "" removes it']],
  example: { zone: "Europe/Berlin" },
  statuses: { 200: "The user." },
});

export const operations = [listUsers, showUser, createUser, setUser, ...invitations, ...links];
