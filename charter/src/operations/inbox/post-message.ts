import { randomFillSync, randomUUID } from "node:crypto";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { NewInboxMessage } from "../../store/conversations/inbox-row.ts";
import { inboxLimits } from "../../store/conversations/post-message.ts";
import { checkName } from "../../store/scope.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { type Caller, checkPoster, notFound } from "../caller.ts";
import { agent } from "../common-fields.ts";
import { flag, object, text, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { hintsHere } from "../print/command-name.ts";
import {
  checkInbox,
  checkPostedOnChain,
  hasInbox,
  isChainMessage,
  keptId,
  messageId,
  newReplySecret,
  posterOf,
  seenBy,
  seenMessage,
} from "./messages.ts";

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
