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

/** States of a message, in the order of its life. */
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

/** A message as operators see it; senders see it without how it was worked on. */
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

/** A message as operators see it: without the draft of a reply, and with payments in ETH. */
export function shownMessage({ draft, paid, ...shown }: InboxMessage): (typeof message)["holds"] {
  return { ...shown, paid: paid === null ? null : etherText(BigInt(paid)) };
}

const maxIdLength = 128;

/** Stored id of a message: the sender's name, a slash and their own id (`shop/order-17`), so that senders cannot collide. */
function keptId(poster: string, id: string): string {
  checkName("message", id);
  if (id.length <= maxIdLength && id !== "." && id !== "..") return `${poster}/${id}`;
  throw new Problem(
    "bad-name",
    `${JSON.stringify(id)} cannot be the id of a message.`,
    `Use 1 to ${maxIdLength} characters that an address can have: not “.” and not “..”.`,
  );
}

/** Prefix of a sender's message ids: the token's name, the address, or “operator”. */
export function posterOf(caller: Caller): string {
  return caller.kind === "inbox" ? caller.name : caller.kind === "signer" ? caller.address : "operator";
}

/** Id of a message as the caller sees it. Operators see all senders' messages, and so the whole id. */
export function shownId<Id extends string | null>(caller: Caller, id: Id): Id {
  const start = `${posterOf(caller)}/`;
  return (caller.kind !== "operator" && id?.startsWith(start) ? id.slice(start.length) : id) as Id;
}

/** Fields of a message the caller may see: how an agent worked on it, and why that failed, is for the operator. */
export function seenBy(caller: Caller, found: InboxMessage) {
  if (caller.kind === "operator") return shownMessage(found);
  const { id, agent, sender, body, at, status } = found;
  return { id: shownId(caller, id), agent, sender, body, at, status };
}

/** Creates the secret that opens one reply to an address. Its digest is stored; the signer of the message sees it once. */
function newReplySecret(address: string, random: (bytes: Uint8Array) => void): string {
  const bytes = new Uint8Array(32);
  random(bytes);
  return `reply_${address}_${Buffer.from(bytes).toString("base64url")}`;
}

/** Address a reply secret belongs to; undefined if the text is no such secret. */
export function addressOfReply(secret: string): string | undefined {
  return /^reply_(0x[0-9a-f]{40})_[\w-]+$/.exec(secret)?.[1];
}

/** Recognises the id of a message that came by a blockchain. Such a message belongs to its sender, whoever asks for it. */
function isChainMessage(id: string): boolean {
  return /^chain:\d+:0x[0-9a-f]{40}:0x[0-9a-f]{64}:\d+(?::[0-9a-f]{16})?$/.test(id);
}

/** Stored id of a signer's message: their own ids follow their address, ids of a blockchain are complete already. */
export function signerMessageId(address: string, id: string): string {
  return isChainMessage(id) ? id : `${address}/${id}`;
}

/** Refuses agents without an inbox: only an agent whose charter needs one reads messages, or lives by itself. */
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

/** Refuses an id of a blockchain unless the message was posted there by the signer, who may then ask for its reply's secret. */
async function checkPostedOnChain(
  { inbox }: Store,
  address: string,
  { agent, id, body }: { readonly agent: string; readonly id: string; readonly body: string },
): Promise<void> {
  const message = await inbox.find(agent, id);
  if (message?.channel !== "chain" || message.sender !== address || message.body !== body)
    throw notFound(`message “${id}”`);
}

/** Last second of the year 9999, the largest time a date can show. */
const lastSecond = 253_402_300_799;

/** Fields of a signed message; the signature covers all of them. */
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
  command: "inbox post <agent?>",
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

/** Returns the agent a message is for, if the caller may write to it. */
async function agentWithInbox({ store, host, caller }: OperationContext, name: string): Promise<AgentRecord> {
  checkPoster(caller, name, "posting messages");
  if (caller.kind === "operator") {
    const record = await store.agents.get(name);
    await checkInbox(await host(), record);
    return record;
  }
  // A caller who may not write to an agent does not learn whether it exists.
  const record = await store.agents.find(name);
  if (!record || !(await hasInbox(await host(), record))) throw notFound(`agent “${name}”`);
  return record;
}

/** Lanes of signed messages, known senders and new ones, limited together: keys cost nothing to make. */
const signedLanes = ["signed", "signed-new"] as const;

type Signed = { readonly signature?: string | undefined; readonly expires?: number | undefined };

/** Sender and lane of a new message, by who posts it. What an operator says of a sender is not proven. */
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
      // Strangers leave room in the lanes, so that known senders still get through.
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
