import { readPage } from "../../store/home/query.ts";
import { notFound, userNamed } from "../caller.ts";
import {
  agent,
  anything,
  list,
  more,
  number,
  object,
  oneOf,
  page,
  record,
  scope,
  text,
  time,
  total,
  user,
  whole,
} from "../field.ts";
import { operation } from "../operation.ts";
import { colours, columns, oneLine, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import { turnFilter, usage } from "../turns/turn-fields.ts";

const counterpart = text("An address, or what a token says of a sender (shop/bo).").example("0xabc").option("name");

const listConversations = operation({
  name: "conversations.list",
  says: "List an agent's conversations",
  about: "The most recently active first.",
  route: "GET /agents/{agent}/conversations",
  command: "conversations",
  examples: [["charter conversations --agent ada", "most recently active first"]],
  who: "operator",
  input: { agent, ...page, counterpart: counterpart.says("Only the conversation with this sender.").optional() },
  answer: object({
    conversations: list(object({ counterpart: text(), exchanges: whole(), lastAt: time() })),
    more,
    total,
  }).named("ConversationList", "The most recently active first."),
  run: async ({ store }, { agent, counterpart, ...asked }) => {
    const { conversations, agents } = store;
    const { name } = await agents.get(agent);
    const about = { counterpart };
    const { rows, more } = await readPage((one) => conversations.list(name, { ...one, ...about }), asked);
    return { conversations: rows, more, total: await conversations.count(name, about) };
  },
  lines: ({ conversations }, { agent, counterpart }, there = "") => {
    if (conversations.length === 0)
      return [
        counterpart === undefined
          ? hintsHere(`“${agent}” has answered no sender yet. Its users: charter turns --agent ${agent}${there}`)
          : `“${agent}” has no conversation with “${counterpart}”.`,
      ];
    const cells = conversations.map((one) => [one.counterpart, String(one.exchanges), timeText(one.lastAt)]);
    return columns(["with", "exchanges", "last (UTC)"], cells, process.stdout);
  },
});

const exchange = object({
  inbox_message_id: text(),
  sender_body: text(),
  agent_reply: text(),
  turn_id: text(),
  timestamp: time(),
}).named("Exchange", "One message and its reply.");

const showConversation = operation({
  name: "conversations.show",
  says: "Get a conversation",
  route: "GET /agents/{agent}/conversations/{counterpart}",
  command: "conversations <counterpart>",
  examples: [["charter conversations --agent ada shop/bo", "one conversation, oldest exchange first"]],
  who: "operator",
  input: { agent, counterpart },
  answer: object({ counterpart: text(), exchanges: list(exchange), lastAt: time() }).named(
    "Conversation",
    "The exchanges with one counterpart, oldest first.",
  ),
  statuses: { 200: "Its exchanges, oldest first." },
  run: async ({ store }, { agent, counterpart }) => {
    const conversation = await store.conversations.read((await store.agents.get(agent)).name, counterpart);
    if (conversation) return conversation;
    throw notFound(`conversation with “${counterpart}”`);
  },
  // Prints exchanges in the form in which the agent reads them.
  lines: ({ counterpart: name, exchanges }, { agent }) => {
    const { dim, bold } = colours(process.stdout);
    return exchanges.flatMap(({ timestamp, turn_id, sender_body, agent_reply }) => [
      dim(`${timeText(timestamp)} UTC, turn ${turn_id}`),
      `${bold(oneLine(name))}: ${oneLine(sender_body)}`,
      `${bold(oneLine(agent))}: ${oneLine(agent_reply)}`,
    ]);
  },
});

/** Channels whose turns start by themselves: their input is an instruction, not something their user said. */
const unspoken = ["scheduled", "automaton", "inbox"];

const someone = object({
  user: text("A user's id; or `counterpart:` and the name of a sender whose messages came to the inbox."),
  turns: whole(),
  failed: whole("How many of the turns failed."),
  messages: whole("How many messages were answered, those no longer kept included."),
  cost: number("In dollars, of the turns with a price; null where none has one.").nullable(),
  usage: usage.says("Of all the turns, in tokens, as the provider counted."),
  channels: list(text(), "Where the turns came from."),
  lastAt: time(),
  lastInput: text("What they said last, cut where it is long; null where they said nothing themselves.").nullable(),
}).named("Counterpart", "Someone an agent has spoken with, and what it comes to.");

const listCounterparts = operation({
  name: "conversations.counterparts",
  says: "List everyone an agent has spoken with",
  about:
    "Users with what their turns come to, and senders of messages with how many were answered. With a filter only those turns are added up, and whoever has none is left out.",
  route: "GET /agents/{agent}/counterparts",
  who: "operator",
  input: {
    ...turnFilter,
    agent,
    sort: oneOf(["newest", "oldest", "cost"], "Default: the latest first. By cost: the highest first.").optional(),
    ...page,
  },
  answer: object({ counterparts: list(someone), more, total }).named("CounterpartList", "In the order asked for."),
  statuses: { 200: "Default: the latest first." },
  run: async ({ store }, { agent, user, counterpart, limit, offset, sort, ...asked }) => {
    const { conversations, agents } = store;
    const { name } = await agents.get(agent);
    const filter = { ...asked, user: userNamed({ user, counterpart }) };
    const [counterparts, total] = await Promise.all([
      conversations.counterparts(name, { ...filter, sort, limit, offset, unspoken }),
      conversations.countCounterparts(name, filter),
    ]);
    return { counterparts, more: offset + counterparts.length < total, total };
  },
});

export const operations = [listConversations, showConversation, listCounterparts];

const getAttachment = operation({
  name: "turns.attachment",
  says: "Get a picture or a file that came with a turn",
  about: "Only for the user whose turn it came with. Browsers save it; only pictures are shown.",
  route: "GET /agents/{agent}/attachments/{digest}",
  who: "person",
  sends: "application/octet-stream",
  input: {
    agent,
    digest: text("As in the turn it came with.", {
      form: /^[0-9a-f]{64}$/,
      reason: "must be a SHA-256 in lower-case hex",
    }),
    user: user.says("The user; only for operators, who are themselves otherwise."),
  },
  answer: text(),
  statuses: { 200: "Its bytes." },
  refuses: [410],
});

export const attachmentOperations = [getAttachment];

const event = object({
  id: whole().optional(),
  scope,
  at: time(),
  kind: text().example("amended"),
  turn: text().nullable(),
  detail: record(anything()),
}).named(
  "FeedEvent",
  "Something that happened: an amendment, a refusal, a run that failed. One that is not stored has no id.",
);

const followEvents = operation({
  name: "events.follow",
  says: "Stream events as they happen",
  about:
    "Operators get all events, users those about their own data. " +
    "Server-sent events: each has the event's id, its kind as the name, and the event as JSON. It ends with the " +
    "server, or when the token loses access: then the last event is `closed`, with the reason. To continue, send the id " +
    "of the last event. `turn-started` is sent when a turn of this server starts; it is not stored, so it has no id.",
  route: "GET /events",
  who: "person",
  sends: "text/event-stream",
  input: {
    after: whole("Events after this one are sent first; browsers send it on their own.")
      .inHeader("last-event-id")
      .optional(),
  },
  answer: event,
  statuses: { 200: "An endless stream of server-sent events." },
});

export const eventOperations = [followEvents];
