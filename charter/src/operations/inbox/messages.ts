import { randomFillSync, randomUUID } from "node:crypto";
import { etherText } from "../../charters/ether.ts";
import type { Host } from "../../host/host.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { InboxMessage, NewInboxMessage } from "../../store/conversations/inbox-row.ts";
import { inboxLimits } from "../../store/conversations/post-message.ts";
import { checkName } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { type Caller, checkPoster, notFound } from "../caller.ts";
import { agent, type Field, type Fields, flag, list, object, oneOf, text, time, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { hintsHere } from "../print/command-name.ts";

const messageId = text(
  "Its id; the same one again is the same message. Operators see the poster before it: “shop/order-17”.",
).example("order-17");

/** What may become of a message, as its life goes. */
export const messageStates = [
  "waiting",
  "taken",
  "answered",
  "dead",
  "withdrawn",
] as const satisfies readonly InboxMessage["status"][];

export const messageStatus = oneOf(
  messageStates,
  "Dead: it was tried three times. Withdrawn: it will not be answered.",
);

const failure = object({ at: time(), turn: text().nullable(), because: text() }).named(
  "MessageFailure",
  "Why a try to answer a message failed.",
);

const facts = {
  id: messageId,
  agent: text(),
  sender: text("The counterpart: an address, or “<token>/<sender>”.").example("shop/bo"),
  body: text(),
  at: time(),
  status: messageStatus,
};
const operators = {
  channel: text().nullable(),
  tries: whole(),
  turn: text("The last turn that worked on it.").nullable(),
  failures: list(failure),
  paid: text("What was paid with it on its chain, in ETH; null: it came another way, or its block is gone.")
    .example("0.001")
    .nullable(),
  lane: text("The door it came through; lanes are served in turn."),
};

export const message = object({ ...facts, ...operators }).named("Message", "A message to an agent, and its status.");

/** How operators see it, and, without how it was worked on, whoever posted it. */
export const seenMessage = { ...facts, ...optional(operators) };

function optional<Some extends Fields>(fields: Some): { [Name in keyof Some]: Field<Some[Name]["holds"] | undefined> } {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.optional()])) as never;
}

export const reply = object({
  id: text(),
  to: text(),
  message: text().nullable(),
  body: text(),
  at: time(),
  sentAt: time("When its recipient first read it.").nullable(),
  turn: text("To operators: the turn it came from.").optional(),
}).named("Reply", "What an agent answered.");

/** A message as operators see it. What a turn has in mind to reply is no reply yet; what was paid is told in ETH. */
export function shownMessage({ draft, paid, ...shown }: InboxMessage): (typeof message)["holds"] {
  return { ...shown, paid: paid === null ? null : etherText(BigInt(paid)) };
}

const longest = 128;

/** Ids are each poster's own: a message is kept under its poster's name, a slash and the id (`shop/order-17`). */
function keptId(poster: string, id: string): string {
  checkName("message", id);
  if (id.length <= longest && id !== "." && id !== "..") return `${poster}/${id}`;
  throw new Problem(
    "bad-name",
    `${JSON.stringify(id)} cannot be the id of a message.`,
    `Use 1 to ${longest} characters that an address can have: not “.” and not “..”.`,
  );
}

/** After whom the ids of what they post are called: the token's name, the address, or “operator”. */
export function posterOf(caller: Caller): string {
  return caller.kind === "inbox" ? caller.name : caller.kind === "signer" ? caller.address : "operator";
}

/** The id as who posts sees it. Operators see all messages, and so the whole id. */
export function shownId<Id extends string | null>(caller: Caller, id: Id): Id {
  const start = `${posterOf(caller)}/`;
  return (caller.kind !== "operator" && id?.startsWith(start) ? id.slice(start.length) : id) as Id;
}

/** How an agent worked on a message, and why that failed, is the operator's to know. */
export function seenBy(caller: Caller, found: InboxMessage) {
  if (caller.kind === "operator") return shownMessage(found);
  const { id, agent, sender, body, at, status } = found;
  return { id: shownId(caller, id), agent, sender, body, at, status };
}

/** What opens one reply of an address: its digest is kept, and it is shown once, to whoever signed the message. */
function newReplySecret(address: string, random: (bytes: Uint8Array) => void): string {
  const bytes = new Uint8Array(32);
  random(bytes);
  return `reply_${address}_${Buffer.from(bytes).toString("base64url")}`;
}

/** The address whose reply a secret is for; nothing, if it is no such secret. */
export function addressOfReply(secret: string): string | undefined {
  return /^reply_(0x[0-9a-f]{40})_[\w-]+$/.exec(secret)?.[1];
}

/** Whether an id is that of a message that came by a chain: such a message is its sender's, whoever asks for it. */
function isChainMessage(id: string): boolean {
  return /^chain:\d+:0x[0-9a-f]{40}:0x[0-9a-f]{64}:\d+(?::[0-9a-f]{16})?$/.test(id);
}

/** The id a signer's message is kept under: their own ids after their address, those of a chain as they are. */
export function signerMessageId(address: string, id: string): string {
  return isChainMessage(id) ? id : `${address}/${id}`;
}

/** An agent is written to, and lives by itself, if its charter needs an inbox: no other ever looks there. */
export async function checkInbox(host: Host, agent: AgentRecord): Promise<void> {
  if (await hasInbox(host, agent)) return;
  throw new Problem(
    "no-inbox",
    `The charter of “${agent.name}” has no inbox.`,
    "Name an agent whose charter needs one, such as “sovereign”.",
  );
}

async function hasInbox({ traits }: Host, agent: AgentRecord): Promise<boolean> {
  return (await traits(agent)).needs.includes("inbox");
}

/** Nobody posts as a chain does: whoever signs a message of a chain has posted it there, and asks for the secret of its reply. */
async function checkPostedOnChain(
  { inbox }: Store,
  address: string,
  { agent, id, body }: { readonly agent: string; readonly id: string; readonly body: string },
): Promise<void> {
  const found = await inbox.find(agent, id);
  if (found?.channel !== "chain" || found.sender !== address || found.body !== body) throw notFound(`message “${id}”`);
}

/** The last second of the year 9999: what comes after it is no time. */
const lastSecond = 253_402_300_799;

/** What a signature is checked with: all of it is signed. */
export const signedPost = {
  sender: text("The sender. With a token, the token's name comes first (“shop/bo”); an address has to sign.")
    .example("bo")
    .option("name"),
  body: text("Its words, 1 to 4,096 bytes.").example("Is the shop open?").orFile(),
  id: messageId,
  signature: text("Of an address: EIP-712, 65 bytes in hex. docs/http.md says what is signed.").example("0x…"),
  expires: whole("Until when the signature holds: seconds since 1970, at most ten minutes ahead.", {
    least: 0,
    most: lastSecond,
  }).example(1771416300),
};

export const postMessage = operation({
  name: "inbox.post",
  says: "Post a message to an agent",
  about:
    "With a token of kind “inbox” or an operator's; or, where the operator allows it, without one, signed by the sender's key (EIP-712).",
  route: "POST /agents/{agent}/inbox",
  command: "inbox post <agent>",
  examples: [
    ['charter inbox post ada --sender bo --body "Are you open?"', "post a message; its sender is called operator/bo"],
  ],
  example: { sender: "bo", body: "Is the shop open?", id: "order-17" },
  who: "inbox",
  input: {
    ...{ agent, ...signedPost },
    id: messageId
      .says("1 to 128 characters, your own: other posters have theirs. Needed to sign; else made up.")
      .option("id")
      .optional(),
    signature: signedPost.signature.only("route").optional(),
    expires: signedPost.expires.only("route").optional(),
  },
  answer: object({
    ...seenMessage,
    created: flag("Whether it is new: the same message again is posted once."),
    secret: text("For a signed message, shown once: “Authorization: Bearer <secret>” reads the reply to this message.")
      .example("reply_…")
      .optional(),
  }).named("PostedMessage", "The message as it was stored."),
  statuses: { 201: "The message is waiting for the agent.", 200: "The message was posted before." },
  refuses: [409, 422],
  run: async (context, { agent, sender, body, id = randomUUID(), ...signed }) => {
    const { caller, store } = context;
    const { name } = await agentWithInbox(context, agent);
    const isOnChain = caller.kind === "signer" && isChainMessage(id);
    if (isOnChain) await checkPostedOnChain(store, caller.address, { agent: name, id, body });
    const secret = caller.kind === "signer" ? newReplySecret(caller.address, randomFillSync) : undefined;
    const { created, secretKept, ...posted } = await store.inbox.post({
      ...{ agent: name, body, id: isOnChain ? id : keptId(posterOf(caller), id) },
      ...whereFrom(caller, sender, signed),
      ...(secret === undefined ? {} : { secret: { digest: sha256(secret), until: timeOf(signed.expires) } }),
    });
    return { ...seenBy(caller, posted), created, ...(secret !== undefined && secretKept && { secret }) };
  },
  wire: ({ created }) => ({ status: created ? 201 : 200 }),
  lines: ({ id, sender, status, created }, { agent }) =>
    created
      ? [hintsHere(`Posted as ${id}, from “${sender}”. See its status: charter inbox ${agent} ${id}`)]
      : [`${id} was posted before: it is ${status}.`],
});

function timeOf(seconds = 0): string {
  return new Date(seconds * 1000).toISOString();
}

/** The agent a message is for, to who may write to it. */
async function agentWithInbox({ store, host, caller }: OperationContext, name: string): Promise<AgentRecord> {
  checkPoster(caller, name, "posting messages");
  if (caller.kind === "operator") {
    const found = await store.agents.get(name);
    await checkInbox(await host(), found);
    return found;
  }
  // Which agents there are besides those that can be written to is nobody else's to know.
  const found = await store.agents.find(name);
  if (!found || !(await hasInbox(await host(), found))) throw notFound(`agent “${name}”`);
  return found;
}

/** Keys cost nothing: whoever signs, known or not, shares one part of the inbox. */
const signedLanes = ["signed", "signed-new"] as const;

type Signed = { readonly signature?: string | undefined; readonly expires?: number | undefined };

/** Whom a message is from, by who posts it, and the lane it waits in. What an operator says of it nobody has shown. */
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
