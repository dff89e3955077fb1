import { randomFillSync, randomUUID } from "node:crypto";
import { createRoute, z } from "@hono/zod-openapi";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { InboxMessage, NewInboxMessage, OutboxReply } from "../../store/conversations/inbox-row.ts";
import { inboxLimits } from "../../store/conversations/post-message.ts";
import { readPage } from "../../store/home/page.ts";
import { checkName } from "../../store/scope.ts";
import { sha256 } from "../../store/texts/sha256.ts";
import type { RouteContext, Routes } from "../api.ts";
import { type Caller, checkOperator, notAllowed, notFound } from "../http/caller.ts";
import { shownMessage } from "../inbox/operator-message.ts";
import { isChainMessage, newReplySecret, signerMessageId } from "../inbox/reply-secret.ts";
import {
  messageList,
  messageQuery,
  messageWithReply,
  newMessage,
  postedMessage,
  replyList,
} from "../schemas/message.ts";
import { agentPath, idPath } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { body, json, problems } from "../schemas/response.ts";
import { checkInbox, checkPostedOnChain, hasInbox } from "./check-inbox.ts";
import { keptId, posterOf, shownId } from "./message-id.ts";

const tags = ["inbox"];
const path = "/agents/{agent}/inbox";
const params = z.object(agentPath);
const one = z.object({ ...agentPath, ...idPath });

const posting = createRoute({
  method: "post",
  path,
  tags,
  summary: "Post a message to an agent",
  description:
    "With a token of kind “inbox” or an operator's; or, where the operator allows it, without one, signed by the sender's key (EIP-712).",
  request: { params, body: body(newMessage) },
  responses: {
    201: json(postedMessage, "The message is waiting for the agent."),
    200: json(postedMessage, "The message was posted before."),
    ...problems(404, 409, 413, 415, 422),
  },
});

const listing = createRoute({
  method: "get",
  path,
  tags,
  summary: "List an agent's messages",
  request: { params, query: z.strictObject({ ...messageQuery, ...page }) },
  responses: { 200: json(messageList, "Oldest first."), ...problems(404) },
});

const showing = createRoute({
  method: "get",
  path: `${path}/{id}`,
  tags,
  summary: "Get a message and the reply to it",
  description:
    "For an operator, the token that posted it, and whoever has the secret of its reply. A reply counts as sent once its recipient reads it.",
  request: { params: one },
  responses: { 200: json(messageWithReply, "The message; `reply` is null until there is one."), ...problems(404) },
});

const replying = createRoute({
  method: "get",
  path: "/agents/{agent}/outbox",
  tags,
  summary: "List an agent's replies",
  description: "All of them for an operator; for a token of kind “inbox” those to what it posted.",
  request: { params, query: z.strictObject(page) },
  responses: { 200: json(replyList, "Newest first."), ...problems(404) },
});

export const inboxRoutes: Routes = (api, serving) => {
  const { host } = serving;
  const { agents, inbox } = host.store;

  api.openapi(posting, async (context) => {
    const caller = context.get("caller");
    const { name } = await agentWithInbox(serving, caller, context.req.valid("param").agent);
    const { sender, body: words, id = randomUUID(), ...signed } = context.req.valid("json");
    const isOnChain = caller.kind === "signer" && isChainMessage(id);
    if (isOnChain) await checkPostedOnChain(host, caller.address, { agent: name, id, words });
    const secret = caller.kind === "signer" ? newReplySecret(caller.address, randomFillSync) : undefined;
    const { created, secretKept, ...posted } = await inbox.post({
      ...{
        agent: name,
        body: words,
        id: isOnChain ? id : keptId(posterOf(caller), id),
        ...whereFrom(caller, sender, signed),
      },
      ...(secret === undefined ? {} : { secret: { digest: sha256(secret), until: timeOf(signed.expires) } }),
    });
    const shown = { ...seenBy(caller, posted), ...(secret !== undefined && secretKept && { secret }) };
    return context.json(shown, created ? 201 : 200);
  });

  api.openapi(listing, async (context) => {
    checkOperator(context.get("caller"), "seeing messages");
    const { name } = await agents.get(context.req.valid("param").agent);
    const { status = "waiting", ...asked } = context.req.valid("query");
    const { rows, more } = await readPage((stretch) => inbox.list(name, status, stretch), asked);
    return context.json({ messages: rows.map(shownMessage), more }, 200);
  });

  api.openapi(showing, async (context) => {
    const caller = context.get("caller");
    const { agent, id } = context.req.valid("param");
    const found = await messageFor(serving, caller, agent, id);
    const reply = await inbox.findReply(agent, found.id);
    const sent = reply && context.req.method === "GET" ? await receive(serving, caller, reply) : reply;
    return context.json({ ...seenBy(caller, found), reply: sent ? shownReply(caller, sent) : null }, 200);
  });

  api.openapi(replying, async (context) => {
    const caller = context.get("caller");
    const { agent } = context.req.valid("param");
    if (caller.kind === "operator") await agents.get(agent);
    else if (caller.kind !== "inbox") throw notAllowed("seeing replies");
    else if (caller.agent !== agent) throw notFound(`agent “${agent}”`);
    const whose = caller.kind === "inbox" ? { prefix: `${caller.name}/` } : {};
    const { rows, more } = await readPage(
      (stretch) => inbox.listReplies(agent, { ...stretch, ...whose }),
      context.req.valid("query"),
    );
    const replies =
      context.req.method === "GET" ? await Promise.all(rows.map((row) => receive(serving, caller, row))) : rows;
    return context.json({ replies: replies.map((reply) => shownReply(caller, reply)), more }, 200);
  });
};

function timeOf(seconds = 0): string {
  return new Date(seconds * 1000).toISOString();
}

/** The agent a message is for, to who may write to it. */
async function agentWithInbox({ host }: RouteContext, caller: Caller, name: string): Promise<AgentRecord> {
  if (caller.kind === "user" || caller.kind === "agent") throw notAllowed("posting messages");
  if (caller.kind !== "operator" && caller.agent !== name) throw notFound(`agent “${name}”`);
  if (caller.kind === "operator") {
    const found = await host.store.agents.get(name);
    await checkInbox(host, found);
    return found;
  }
  // Which agents there are besides those that can be written to is nobody else's to know.
  const found = await host.store.agents.find(name);
  if (!found || !(await hasInbox(host, found))) throw notFound(`agent “${name}”`);
  return found;
}

/** Keys cost nothing: whoever signs, known or not, shares one part of the inbox. */
const signedLanes = ["signed", "signed-new"] as const;

type Signed = { readonly signature?: string | undefined; readonly expires?: number | undefined };

/** Whom a message is from, by who posts it, and the lane it waits in. */
function whereFrom(
  caller: Caller,
  sender: string,
  { signature, expires }: Signed,
): Pick<NewInboxMessage, "sender" | "lane" | "limits"> {
  if (caller.kind === "signer") {
    const { address, known } = caller;
    return {
      sender: address,
      lane: known ? "signed" : "signed-new",
      // However many strangers there are, those who are known still find room.
      limits: { ...inboxLimits, lanes: signedLanes, leave: known ? 1 : 3 },
    };
  }
  if (signature !== undefined || expires !== undefined)
    throw new Problem("usage", "The message comes with a token and with a signature.", "Send it with one of them.");
  checkName("sender", sender);
  if (caller.kind !== "inbox") return { sender: `operator/${sender}`, lane: "operator", limits: inboxLimits };
  const lane = `token:${caller.name}`;
  return { sender: `${caller.name}/${sender}`, lane, limits: { ...inboxLimits, lanes: [lane] } };
}

/** A message by its id: any for an operator, for others what they posted. Someone else's is not there. */
async function messageFor({ host }: RouteContext, caller: Caller, agent: string, id: string): Promise<InboxMessage> {
  const { agents, inbox } = host.store;
  if (caller.kind === "user" || caller.kind === "agent") throw notAllowed("seeing messages");
  if (caller.kind === "operator") return inbox.get((await agents.get(agent)).name, id);
  const kept = caller.kind === "signer" ? signerMessageId(caller.address, id) : `${posterOf(caller)}/${id}`;
  const found = caller.agent === agent ? await inbox.find(agent, kept) : undefined;
  if (!found) throw notFound(`message “${id}”`);
  return found;
}

/** Its recipient has it now. An operator who looks at it is not its recipient. */
async function receive({ host }: RouteContext, caller: Caller, reply: OutboxReply): Promise<OutboxReply> {
  if (caller.kind === "operator" || reply.sentAt !== null) return reply;
  await host.store.inbox.markSent(reply.agent, reply.id);
  return { ...reply, sentAt: host.clock().toISOString() };
}

/** How an agent worked on a message, and why that failed, is the operator's to know. */
function seenBy(caller: Caller, found: InboxMessage) {
  if (caller.kind === "operator") return shownMessage(found);
  const { id, agent, sender, body: words, at, status } = found;
  return { id: shownId(caller, id), agent, sender, body: words, at, status };
}

function shownReply(caller: Caller, { id, to, message: answered, body: words, at, sentAt, turn }: OutboxReply) {
  const message = shownId(caller, answered);
  return { id, to, message, body: words, at, sentAt, ...(caller.kind === "operator" ? { turn } : {}) };
}
