import type { Store } from "../../store/store.ts";
import { type ListTurnsOptions, turnEvents } from "../../store/turns/list-turns.ts";
import { type Turn, unknownTurn } from "../../store/turns/turn.ts";
import { type Caller, checkOperator, checkPerson, sees } from "../caller.ts";
import {
  agent,
  anything,
  attachment,
  counterpart,
  either,
  flag,
  list,
  notice,
  number,
  object,
  oneOf,
  openObject,
  record,
  scope,
  text,
  time,
  user,
  whole,
} from "../field.ts";
import type { OperationContext } from "../operation.ts";

const tokens = whole().nullable();

export const usage = object({ input: tokens, read: tokens, written: tokens, output: tokens });

export const turnState = oneOf(["running", "answered", "failed", "interrupted", "erased"]);

const turnEvent = oneOf(turnEvents).named(
  "TurnEvent",
  "An amendment was made (`amended`), refused or held, or a call was held; less was read from the provider's cache than the request before had left there (`cache-miss`), or nothing at all (`nothing-cached`); a tool was called; or the turn failed.",
);

const moment = {
  form: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/,
  reason: "must be a time, as in 2026-02-18T15:04:00Z",
};
const momentField = (says: string) => text(says, moment).example("2026-02-18T15:04:00Z").option("time").optional();
const dollars = (says: string) => number(says, { least: 0 }).example(0.05).option("dollars").optional();

/** Filters for turns, and for those of a session. */
export const turnFilter = {
  agent: agent.optional(),
  user: user.says("Only this user's."),
  counterpart,
  words: text("Only those whose input and reply have words that begin with each of these.", {
    form: /^[\s\S]{1,1000}$/,
    reason: "must have 1 to 1,000 characters",
  })
    .example("refund order")
    .option("words")
    .optional(),
  state: turnState.says("Only those in this state.").optional(),
  event: turnEvent.says("Only those in which this happened.").optional(),
  channel: text("Only those of this channel.").option("name").optional(),
  model: text("Only those this model was asked last in. For operators.").option("name").optional(),
  from: momentField("Only those that began then or later."),
  to: momentField("Only those that began before then."),
  minCost: dollars("Only those that cost as much or more, in dollars. For operators."),
  maxCost: dollars("Only those that cost as much or less, in dollars. For operators."),
};

export const turnSort = oneOf(
  ["newest", "oldest", "cost", "duration"],
  "Default: the newest first. By cost (for operators) or duration: the highest first.",
).optional();

export const turnFields = {
  id: text().told(),
  scope: scope.told(),
  session: text().told().nullable(),
  channel: text().told().nullable(),
  input: text().told(),
  attachments: list(
    object(attachment).named("Attachment", "A picture or a file that came with a turn."),
    "What came with it, if anything did.",
  )
    .told()
    .optional(),
  reply: text().told().nullable(),
  state: turnState.told(),
  tainted: flag().told(),
  startedAt: time().told(),
  endedAt: time().told().nullable(),
  steps: whole(),
  told: object(
    { session: text().told(), at: time().told(), schedule: text().told() },
    "Of a schedule's turn: in which session its reply was said, when, and the schedule's title.",
  )
    .told()
    .optional(),
  micros: whole("What it cost so far, in millionths of a dollar.").nullable(),
  runner: text("Which process runs it; for operators.").nullable().optional(),
  leasedUntil: time().nullable().optional(),
  model: text("The model that was asked last; null where none was, or that is not known. For operators.")
    .nullable()
    .optional(),
  cost: number("In dollars; null where nothing was paid, or the price is not known. For operators.")
    .nullable()
    .optional(),
  usage: usage
    .says("Of all its steps, in tokens, as the provider counted; null where it did not say. For operators.")
    .optional(),
  because: object(
    { code: text(), message: text() },
    "Why it failed; null where it did not, or nobody said. For operators.",
  )
    .nullable()
    .optional(),
  events: list(turnEvent, "What happened in it. For operators.").optional(),
};
export const turn = object(turnFields).named("Turn", "One input to one final answer.");

/** Maximum length of a turn's input, in characters. */
export const maxInputChars = 32_000;

const whom = {
  user: text("The user; operators may name one, or leave it out to be themselves. For a user it is always themselves.")
    .example("bo")
    .optional(),
  channel: text("The channel; default: `web`.").optional(),
  context: anything(
    "What sources, tools and hooks are told of the request: only from an operator. A user's is the claim of their JSON Web Token that the configuration names.",
  ).optional(),
  typed: text(
    "Those words of the input that the person has just typed, exactly: nothing quoted, forwarded or added. A note that is whole sentences of them is the person's own. On a channel of the program's own, what is not typed is other people's.",
  ).optional(),
};

/** A part of an input: text, or a picture or file as base64. */
const inputPart = either(
  object({ text: text() }),
  object({
    file: text("Its bytes, as base64.", {
      form: /^(?:[\da-zA-Z+/]{4})*(?:[\da-zA-Z+/]{2}==|[\da-zA-Z+/]{3}=)?$/,
      reason: "must be base64",
    }),
    mediaType: text("Found from the bytes, unless given.").example("image/png").optional(),
    name: text().example("cat.png").optional(),
    picked: flag(
      "The person picked it themselves: it was not forwarded. Asked because of a picture, they may say that it is their own.",
    ).optional(),
  }),
);

export const newTurn = object({
  input: either(text(), list(inputPart, undefined, { most: 100 }))
    .says(`What the user says: 1 to ${maxInputChars} characters; or a list of texts, pictures and files.`)
    .example("hello"),
  ...whom,
  session: text(
    "A session's id, `new`, or `none` for a turn without history. Left out, the user's newest session goes on.",
  ).optional(),
  output: record(
    anything(),
    "A JSON Schema of up to 16 KB without references: the final answer is JSON that fits it. Patterns in it are told to the model and not checked.",
  ).optional(),
})
  .named("NewTurn")
  .example({ input: "Always answer in French.", user: "bo" });

const uiMessage = openObject({
  role: oneOf(["system", "user", "assistant"]),
  parts: list(openObject({ type: text() })),
  metadata: anything().optional(),
});

export const chatTurn = openObject({
  id: text("The chat's id: of the client's own making, or a session's."),
  messages: list(uiMessage, "Only the last is read as input; what was said before is on record here.", { least: 1 }),
  ...whom,
  session: text("The session to go on with, where the client keeps it itself.").optional(),
})
  .named("ChatTurn", "What `DefaultChatTransport` of the AI SDK sends. The answer is a UI message stream.")
  .example({ id: "chat-1", messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }] });

export type ChatTurn = (typeof chatTurn)["holds"];

export const turnOutcome = object({
  turn: text().told(),
  session: text("Give it with the next turn to go on from here.").told(),
  state: oneOf(["answered", "failed"]).told(),
  reply: text().told().nullable(),
  output: anything("The answer as a value, where the turn asked for an `output`.").optional(),
  steps: whole(),
  tainted: flag("Untrusted text was in the turn's context.").told(),
  usage: usage.says("In tokens, as the provider counted them."),
  cost: number("In dollars; null where the model's price is not known.").nullable(),
  notices: list(notice).told(),
}).named("TurnOutcome", "What a turn came to. One that failed is answered as a Problem, with its id.");

/** Finds a turn by its id: any for an operator, their own for a user. Another user's or agent's is answered as not found. */
export async function turnFor(
  { store, caller }: Pick<OperationContext, "store" | "caller">,
  asked: { readonly id: string; readonly agent?: string | undefined; readonly user?: string | undefined },
): Promise<Turn> {
  checkPerson(caller, "seeing turns");
  const turn = await store.turns.get(asked.id);
  const { agent, user } = turn.scope;
  const isMeant = (asked.agent ?? agent) === agent && (asked.user ?? user) === user;
  if (isMeant && sees(caller, turn.scope)) return turn;
  throw unknownTurn(asked.id);
}

type Asked = Pick<ListTurnsOptions, "model" | "minCost" | "maxCost" | "event" | "sort">;

/** Refuses filters by model, cost or cache to users: these facts are the operator's, and could be guessed by asking. */
export function checkTurnQuery(caller: Caller, { model, minCost, maxCost, event, sort }: Asked): void {
  if (model !== undefined) checkOperator(caller, "asking for turns by their model");
  if (minCost !== undefined || maxCost !== undefined || sort === "cost")
    checkOperator(caller, "asking for turns by what they cost");
  if (event === "cache-miss" || event === "nothing-cached")
    checkOperator(caller, "asking for turns by what the provider's cache had");
}

/** Reads a page of turns; says whether there are more after it, and how many in all. */
export async function readTurns(
  { turns }: Store,
  asked: ListTurnsOptions & { readonly offset: number },
): Promise<{ readonly rows: readonly Turn[]; readonly more: boolean; readonly total: number }> {
  const { sort: _, limit: __, offset, ...filter } = asked;
  const [rows, total] = await Promise.all([turns.list(asked), turns.count(filter)]);
  return { rows, more: offset + rows.length < total, total };
}

/** Turns as an answer shows them, with their number of steps. Who ran them, and at what cost, is for the operator. */
export async function shownTurns(
  { steps, turns: { factsOf } }: Store,
  turns: readonly Turn[],
  caller: Pick<Caller, "kind">,
) {
  const isOperator = caller.kind === "operator";
  const ids = turns.map(({ id }) => id);
  const [counts, known] = await Promise.all([steps.counts(ids), isOperator ? factsOf(ids) : undefined]);
  return turns.map(({ runner, leasedUntil, ...facts }) => {
    const run = isOperator ? { runner, leasedUntil, ...known?.get(facts.id) } : {};
    return { ...facts, steps: counts.get(facts.id) ?? 0, ...run };
  });
}
