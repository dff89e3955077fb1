import { turnEvents } from "../../store/turns/list-turns.ts";
import { agent, attachment, counterpart, scope, user } from "../common-fields.ts";
import { flag, list, number, object, oneOf, text, time, whole } from "../field.ts";

const tokens = whole().nullable();

export const usage = object({ input: tokens, read: tokens, written: tokens, output: tokens });

export const turnState = oneOf(["running", "answered", "failed", "interrupted", "erased"]);

const turnEvent = oneOf(turnEvents).named(
  "TurnEvent",
  "An amendment was made (`amended`), refused or held, or a call was held; less was read from the provider's cache than the request before had left there (`cache-miss`); a tool was called; or the turn failed.",
);

const moment = {
  form: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/,
  reason: "must be a time, as in 2026-02-18T15:04:00Z",
};
const momentField = (says: string) => text(says, moment).example("2026-02-18T15:04:00Z").option("time").optional();
const dollars = (says: string) => number(says, { least: 0 }).example(0.05).option("dollars").optional();

/** What turns are looked for by; also those of a session. */
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
