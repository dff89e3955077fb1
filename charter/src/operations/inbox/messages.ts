import { etherText } from "../../charters/ether.ts";
import type { Host } from "../../host/host.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import { checkName } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import { type Caller, notFound } from "../caller.ts";
import { type Field, type Fields, list, object, oneOf, text, time, whole } from "../field.ts";

export const messageId = text(
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
export function keptId(poster: string, id: string): string {
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
export function newReplySecret(address: string, random: (bytes: Uint8Array) => void): string {
  const bytes = new Uint8Array(32);
  random(bytes);
  return `reply_${address}_${Buffer.from(bytes).toString("base64url")}`;
}

/** The address whose reply a secret is for; nothing, if it is no such secret. */
export function addressOfReply(secret: string): string | undefined {
  return /^reply_(0x[0-9a-f]{40})_[\w-]+$/.exec(secret)?.[1];
}

/** Whether an id is that of a message that came by a chain: such a message is its sender's, whoever asks for it. */
export function isChainMessage(id: string): boolean {
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

export async function hasInbox({ traits }: Host, agent: AgentRecord): Promise<boolean> {
  return (await traits(agent)).needs.includes("inbox");
}

/** Nobody posts as a chain does: whoever signs a message of a chain has posted it there, and asks for the secret of its reply. */
export async function checkPostedOnChain(
  { inbox }: Store,
  address: string,
  { agent, id, body }: { readonly agent: string; readonly id: string; readonly body: string },
): Promise<void> {
  const found = await inbox.find(agent, id);
  if (found?.channel !== "chain" || found.sender !== address || found.body !== body) throw notFound(`message “${id}”`);
}
