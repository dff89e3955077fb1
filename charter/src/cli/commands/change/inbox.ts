import { randomUUID } from "node:crypto";
import { counted, Problem } from "../../../prompt/problem.ts";
import { shownMessage } from "../../../server/inbox/operator-message.ts";
import { retryMessage } from "../../../server/inbox/retry-message.ts";
import { checkInbox } from "../../../server/routes/check-inbox.ts";
import { keptId } from "../../../server/routes/message-id.ts";
import { readText } from "../../../sources/input-file.ts";
import type { InboxMessage } from "../../../store/conversations/inbox-row.ts";
import { inboxLimits } from "../../../store/conversations/post-message.ts";
import { checkName } from "../../../store/scope.ts";
import type { Store } from "../../../store/store.ts";
import { columns } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import {
  aboutMessage,
  messageCells,
  messageColumns,
  messageStates,
  replyCells,
  replyColumns,
} from "../../print/message.ts";
import { countMessages, hostOf } from "../../shared/inbox-agent.ts";
import { noMoreWords, parseOptions, requiredOption } from "../../shared/options.ts";
import { morePages, pageOptions, pageValues, readPage } from "../../shared/page.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = {
  ...storeOptions,
  ...pageOptions,
  status: { type: "string" },
  sender: { type: "string" },
  body: { type: "string" },
  id: { type: "string" },
  by: { type: "string" },
  all: { type: "boolean" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];
type Verb = (store: Store, words: readonly string[], values: Values) => Promise<number>;

const verbs: Readonly<Record<string, Verb>> = {
  list,
  show,
  post,
  retry,
  discard,
  replies,
};

/** The first word is a verb, or else the agent; an agent called like a verb is named after `list` or `show`. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("inbox", args, options);
  const [first] = positionals;
  const verb = first !== undefined && Object.hasOwn(verbs, first) ? (verbs[first] as Verb) : undefined;
  const words = verb ? positionals.slice(1) : positionals;
  if (words[0] === undefined)
    throw new Problem("usage", "charter inbox needs the name of an agent.", "See charter inbox --help.");
  checkTaken(verb ? (first as string) : words.length === 1 ? "list" : "show", values);
  const implied = words.length === 1 ? list : show;
  return withStore(values, (store) => (verb ?? implied)(store, words, values));
}

const taken: Readonly<Record<string, readonly (keyof Values)[]>> = {
  list: ["status", "limit", "offset"],
  replies: ["limit", "offset"],
  post: ["sender", "body", "id"],
  retry: ["by", "all"],
  discard: ["by"],
};

/** An option that another verb takes would be lost without a word. */
function checkTaken(verb: string, values: Values): void {
  const allowed = new Set<string>([...Object.keys(storeOptions), ...(taken[verb] ?? [])]);
  const extra = Object.keys(values).find((name) => !allowed.has(name));
  if (extra !== undefined)
    throw new Problem("usage", `charter inbox ${verb} does not take --${extra}.`, "See charter inbox --help.");
}

async function list(store: Store, [name, ...others]: readonly string[], values: Values): Promise<number> {
  noMoreWords("inbox", others);
  const { name: agent } = await store.agents.get(name as string);
  const status = statusOf(values.status);
  const page = pageValues(values);
  const { rows, more } = await readPage((asked) => store.inbox.list(agent, status, asked), page);
  const counts = await countMessages(store, agent);
  if (values.json) process.stdout.write(`${JSON.stringify({ messages: rows.map(shownMessage), counts, more })}\n`);
  else {
    const all = messageStates.filter((one) => counts[one] > 0).map((one) => `${counts[one]} ${one}`);
    const total = all.length === 0 ? `Nobody has written to “${agent}” yet.` : `All messages: ${all.join(", ")}.`;
    const table =
      rows.length === 0
        ? all.length === 0
          ? []
          : [`No message to “${agent}” is ${status}.`]
        : columns(messageColumns, rows.map(messageCells), process.stdout);
    process.stdout.write(`${[...table, ...morePages(more, page), total].join("\n")}\n`);
  }
  return 0;
}

function statusOf(status = "waiting"): InboxMessage["status"] {
  const known = messageStates.find((one) => one === status);
  if (known) return known;
  throw new Problem("usage", `There is no status “${status}”.`, `It is one of ${messageStates.join(", ")}.`);
}

async function show(store: Store, [name, id, ...others]: readonly string[], values: Values): Promise<number> {
  noMoreWords("inbox", others);
  const { name: agent } = await store.agents.get(name as string);
  const message = await store.inbox.get(agent, required("show", id));
  const reply = (await store.inbox.findReply(agent, message.id)) ?? null;
  const lines = values.json ? [JSON.stringify({ ...shownMessage(message), reply })] : aboutMessage(message, reply);
  process.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}

/** As the operator, who says whom it is from: that nobody has shown who they are can be read off the name. */
async function post(store: Store, [name, ...others]: readonly string[], values: Values): Promise<number> {
  noMoreWords("inbox post", others);
  const sender = requiredOption("inbox post", "sender", values.sender);
  const given = requiredOption("inbox post", "body", values.body);
  const body = given === "-" ? readText("-", "message") : given;
  checkName("sender", sender);
  const agent = await store.agents.get(name as string);
  await checkInbox(await hostOf(store), agent);
  const {
    created,
    secretKept: _,
    ...message
  } = await store.inbox.post({
    ...{ agent: agent.name, sender: `operator/${sender}`, body, lane: "operator", limits: inboxLimits },
    id: keptId("operator", values.id ?? randomUUID()),
  });
  const told = created
    ? hintsHere(
        `Posted as ${message.id}, from “${message.sender}”. See its status: charter inbox ${agent.name} ${message.id}`,
      )
    : `${message.id} was posted before: it is ${message.status}.`;
  process.stdout.write(`${values.json ? JSON.stringify({ ...shownMessage(message), created }) : told}\n`);
  return 0;
}

async function retry(store: Store, [name, id, ...others]: readonly string[], values: Values): Promise<number> {
  noMoreWords("inbox retry", others);
  const { name: agent } = await store.agents.get(name as string);
  const { by = "operator" } = values;
  if (values.all) return retryAll(store, { agent, id, by }, values);
  const { message, retried } = await retryMessage(store, { agent, id: required("retry", id), by });
  const waits = `“${message.id}” waits again, with three new tries.`;
  tell(message, retried === "message" ? waits : `The reply to “${message.id}” is sent to its chain again.`, values);
  return 0;
}

type Retry = { readonly agent: string; readonly id: string | undefined; readonly by: string };

async function retryAll(store: Store, { agent, id, by }: Retry, { json }: Values): Promise<number> {
  if (id !== undefined)
    throw new Problem("usage", "charter inbox retry has --all and the id of a message.", "Give one of them.");
  const retried = await store.inbox.retryAll(agent, by);
  const told =
    retried === 0
      ? `No message to “${agent}” is dead.`
      : `${counted(retried, "message")} to “${agent}” ${retried === 1 ? "waits" : "wait"} again, with three new tries.`;
  process.stdout.write(`${json ? JSON.stringify({ retried }) : told}\n`);
  return 0;
}

async function discard(store: Store, [name, id, ...others]: readonly string[], values: Values): Promise<number> {
  noMoreWords("inbox discard", others);
  const { name: agent } = await store.agents.get(name as string);
  const message = await store.inbox.discard(agent, required("discard", id), values.by ?? "operator");
  tell(message, `“${message.id}” is withdrawn: it will not be answered.`, values);
  return 0;
}

function tell(message: InboxMessage, words: string, { json }: Values): void {
  process.stdout.write(`${json ? JSON.stringify(shownMessage(message)) : words}\n`);
}

async function replies(store: Store, [name, ...others]: readonly string[], values: Values): Promise<number> {
  noMoreWords("inbox replies", others);
  const { name: agent } = await store.agents.get(name as string);
  const page = pageValues(values);
  const { rows, more } = await readPage((asked) => store.inbox.listReplies(agent, asked), page);
  if (values.json) process.stdout.write(`${JSON.stringify({ replies: rows, more })}\n`);
  else if (rows.length === 0) process.stdout.write(`“${agent}” has replied to nobody yet.\n`);
  else {
    const table = columns(replyColumns, rows.map(replyCells), process.stdout);
    process.stdout.write(`${[...table, ...morePages(more, page)].join("\n")}\n`);
  }
  return 0;
}

function required(verb: string, id: string | undefined): string {
  if (id !== undefined && id !== "") return id;
  throw new Problem(
    "usage",
    `charter inbox ${verb} needs the id of a message.`,
    `List them with charter inbox <agent>.${verb === "retry" ? " For all that are dead: --all." : ""}`,
  );
}
