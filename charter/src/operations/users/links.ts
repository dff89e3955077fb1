import { readPage } from "../../store/home/query.ts";
import { agent, more, page, scope, user } from "../common-fields.ts";
import { list, object, oneOf, text, time } from "../field.ts";
import { operation } from "../operation.ts";
import { timeText } from "../print/columns.ts";
import { actingScopeFor, agentScopeFor } from "../scope-for.ts";

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
    channel: oneOf(["telegram"], "Where the chat is.").usual("telegram"),
  },
  answer: object({
    code: text().example("7K3QW9ZD").told(),
    expiresAt: time().told(),
    url: text("Opens the chat and sends the code.").told().optional(),
  }).named("LinkCode", "Send it from the chat (/link CODE): once, within ten minutes."),
  statuses: { 201: "The code; it is shown only once." },
  run: async (context, { agent, user, channel }) => {
    const whose = await actingScopeFor(context, agent, user);
    const made = await context.store.links.createCode(whose, channel);
    const url = context.service.linkUrl?.({ agent, channel, code: made.code });
    return { ...made, ...(url === undefined ? {} : { url }) };
  },
  lines: ({ code, expiresAt }, { agent, user }) => ({
    out: [code],
    err: [`“${user}” sends it to the bot of “${agent}”: /start ${code} (once, until ${timeText(expiresAt)} UTC).`],
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

export const operations = [listLinks, createLink, removeLink];
