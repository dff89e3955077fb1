import { useText } from "../../agent/turn/permission.ts";
import { identityText } from "../../delivery/model.ts";
import { preview } from "../../prompt/character.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import type { StepResult } from "../../prompt/step-result.ts";
import type { Step } from "../../store/turns/steps.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { checkOperator, reachOf, userNamed } from "../caller.ts";
import { agent, either, flag, list, more, object, oneOf, page, text, total, user, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { colours, columns, oneLine, pairs, timeText } from "../print/columns.ts";
import { cutText, leftOut } from "../print/plain-text.ts";
import { bytesOf, receipt, receiptsOf, requestOf, sentBytes, sentRequest } from "./replay.ts";
import { sample } from "./sample-fields.ts";
import {
  chatTurn,
  checkTurnQuery,
  newTurn,
  readTurns,
  shownTurns,
  turn,
  turnFields,
  turnFilter,
  turnFor,
  turnOutcome,
  turnSort,
  turnState,
} from "./turn-fields.ts";

const showTurn = operation({
  name: "turns.show",
  says: "Get a turn",
  about:
    "Input, reply and state; for operators also what was sent, in the parts they name: the receipts of all steps; of one step the exact bytes, verified by their digests, and the whole request with the body that went out; the sample, step by step what was sent, predicted and billed, and what caused a cache miss.",
  route: "GET /turns/{id}",
  command: "turns <id>",
  examples: [["charter turns <id>", "one turn with its steps: tokens, cuts, notices, results"]],
  tool: true,
  who: "person",
  input: {
    id: text("The id of a turn."),
    agent: agent.says("Only if it is this agent's.").optional(),
    user: user.says("Only if it is this user's."),
    parts: list(
      oneOf(["receipts", "bytes", "request", "sample"]),
      "What of it besides, for operators: `receipts`, `bytes`, `request` or `sample`. A command prints the receipts, and the others with --json.",
    )
      .option("part")
      .optional(),
    step: whole("Of bytes and request, the number of the step, from 1; default: the last.", { least: 1 })
      .option("n")
      .optional(),
  },
  answer: object({
    ...turnFields,
    receipts: list(receipt, "What each step sent, section by section, and its result; in order.").optional(),
    bytes: sentBytes.optional(),
    request: sentRequest.optional(),
    sample: sample.optional(),
  }).named("WholeTurn", "One input to one final answer, and those parts that were asked for."),
  statuses: { 200: "The turn." },
  refuses: [410],
  run: async (context, { step, ...asked }) => {
    const { store, caller, isModel = false } = context;
    const parts = new Set(asked.parts ?? (caller.by === "command" && !isModel ? ["receipts"] : []));
    if (parts.size > 0) checkOperator(caller, "seeing what was sent");
    const record = await turnFor(context, asked);
    const [turn] = await shownTurns(store, [record], caller);
    return {
      ...(turn as NonNullable<typeof turn>),
      ...(parts.has("receipts") && { receipts: await receiptsOf(store, record.id) }),
      ...(parts.has("bytes") && { bytes: await bytesOf(store, record, step) }),
      ...(parts.has("request") && { request: await requestOf(context, record, step) }),
      ...(parts.has("sample") && { sample: await sampleIn(context, record) }),
    };
  },
  lines: ({ receipts = [], ...turn }) => turnLines(turn, receipts as readonly Step[]),
});

async function sampleIn({ host }: Pick<OperationContext, "host">, turn: Turn) {
  const { sampleOf } = await import("./samples.ts");
  return sampleOf(await host(), turn);
}

const oneTurn = [showTurn];

export const takeTurn = operation({
  name: "turns.take",
  says: "Run a turn",
  about:
    "The answer is JSON; or, with `Accept: text/event-stream`, and for an AI SDK chat, a UI message stream. If the connection is lost the turn continues, and its answer is recorded.",
  route: "POST /agents/{agent}/turns",
  who: "person",
  input: {
    agent,
    drafts: oneOf(
      ["stream", "hold"],
      "`hold`: text is streamed only once it is final, for clients that cannot replace a draft.",
    ).optional(),
  },
  body: either(newTurn, chatTurn),
  answer: turnOutcome,
  streams: true,
  statuses: { 200: "The result." },
  refuses: [409, 422, 502],
});

const stopTurn = operation({
  name: "turns.stop",
  says: "Stop a turn",
  about: "Only the process that runs a turn can stop it. A turn that has ended is not changed.",
  route: "POST /turns/{id}/stop",
  who: "person",
  input: { id: text("The id of a turn.") },
  answer: object({ turn: text().told(), state: turnState.told(), stopping: flag().told() }).named(
    "StopResult",
    "`stopping`: it is told to stop. Otherwise it was over, and `state` says how.",
  ),
  statuses: { 200: "The turn had already ended.", 202: "The turn is stopping." },
  refuses: [409],
  run: async (context, { id }) => {
    const { state, runner } = await turnFor(context, { id });
    if (state !== "running") return { turn: id, state, stopping: false };
    if (context.service.stoppable?.stop(id)) return { turn: id, state, stopping: true };
    const where = context.caller.kind === "operator" && runner !== null ? ` (${runner})` : "";
    throw new Problem(
      "turn-elsewhere",
      `The turn “${id}” was not asked for over HTTP here, or is run by another process${where}.`,
      "Ask the server that took it; or wait: a turn has a limit of time.",
    );
  },
  wire: ({ stopping }) => ({ status: stopping ? 202 : 200 }),
});

const listTurns = operation({
  name: "turns.list",
  says: "List turns",
  route: "GET /agents/{agent}/turns",
  command: "turns [list]",
  examples: [
    "charter turns --agent ada",
    "charter turns --agent ada --user bo --limit 10 --json",
    'charter turns --agent ada --words "refund order" --state failed',
  ],
  tool: true,
  who: "person",
  input: {
    ...turnFilter,
    session: text("Only those of this session.").option("id").optional(),
    told: flag("With `session`: also turns of schedules whose replies were said in it.").optional(),
    sort: turnSort,
    ...page,
  },
  answer: object({ turns: list(turn).told(), more, total }).named("TurnList", "In the order asked for."),
  statuses: { 200: "Default: the newest first." },
  run: async (context, { agent, user, counterpart, ...asked }) => {
    const { store, caller } = context;
    const scope = await reachOf(context, { agent, user: userNamed({ user, counterpart }) });
    checkTurnQuery(caller, asked);
    const { rows, ...page } = await readTurns(store, { ...asked, ...scope });
    return { turns: await shownTurns(store, rows, caller), ...page };
  },
  lines: ({ turns }, { agent: _, user: __, counterpart: ___, limit: ____, offset: _____, ...filter }) => {
    if (turns.length === 0) return [Object.keys(filter).length > 0 ? "No turns match." : "There are no turns yet."];
    const names = ["turn", "time (UTC)", "agent", "user", "channel", "state", "steps", "asked → answered"];
    const cells = turns.map(({ id, scope, channel, state, startedAt, steps, input, reply }) => {
      const summary = state === "erased" ? "" : `${preview(input, 40)} → ${reply === null ? "–" : preview(reply, 40)}`;
      const who = [scope.agent, scope.user ?? "–", channel ?? "–"];
      return [id, timeText(startedAt), ...who, state, String(steps), summary];
    });
    return columns(names, cells, process.stdout);
  },
});

export const operations = [takeTurn, stopTurn, listTurns, ...oneTurn];

/** Prints a turn: its input and reply, and what each step sent and resulted in. */
function turnLines(turn: ShownTurn, steps: readonly Step[]): string[] {
  return [...about(turn), ...steps.flatMap(stepLines)];
}

type ShownTurn = (typeof turn)["holds"];

function about(turn: ShownTurn): string[] {
  const { scope, channel, session, startedAt, endedAt, input, reply, runner } = turn;
  const paint = colours(process.stdout);
  const rows: [string, string][] = [
    ["turn", turn.id],
    ["agent", scope.agent],
    ["user", scope.user ?? "–"],
    ["channel", channel ?? "–"],
    ["session", session ?? "–"],
    ["state", stateText(turn)],
    ["run by", runner ?? "–"],
    ["began", `${timeText(startedAt)} UTC`],
    ["ended", endedAt === null ? "–" : `${timeText(endedAt)} UTC`],
  ];
  const texts = [paint.dim("asked"), indented(input), paint.dim("answered"), reply === null ? "  –" : indented(reply)];
  return [...pairs(rows, process.stdout), ...(turn.state === "erased" ? [] : texts)];
}

function stateText({ state, tainted, leasedUntil = null }: ShownTurn): string {
  const overdue = state === "running" && leasedUntil !== null && leasedUntil < new Date().toISOString();
  const silent = overdue ? `, but its process has not reported since ${timeText(leasedUntil)} UTC` : "";
  const stateReason = state === "interrupted" ? ": the process that ran it has stopped" : "";
  return `${state}${stateReason}${silent}${tainted ? ", untrusted text was in it" : ""}`;
}

/** Indents a text and removes its control characters except line ends, so that it cannot draw on the operator's terminal. */
function indented(text: string): string {
  const lines = text.split("\n").map((line) => `  ${oneLine(line)}`);
  return lines.join("\n");
}

function stepLines({ step, number, at, receipt, result, digest, erasedAt }: Step): string[] {
  const { dim, bold, yellow } = colours(process.stdout);
  const heading = `${bold(`step ${step}`)} ${dim(`${timeText(at)} UTC, receipt ${number}, digest ${digest.slice(0, 12)}`)}`;
  if (erasedAt !== null) return [heading, `  What was sent was erased ${timeText(erasedAt)} UTC.`];
  if (receipt === null) return [heading, yellow("  Its receipt is not there: run charter verify.")];
  return [
    heading,
    `  sent  ${sentIn(receipt)}`,
    ...(receipt.identity ? [`  system prompt  ${identityText(receipt.identity)}`] : []),
    ...ownToolLines(result ?? {}),
    ...receipt.cuts.map((cut) => `  cut   ${cut.section}: ${cut.form}, ${cutText(cut)}`),
    ...leftOut(receipt.omitted).map((words) => `  left out  ${words}`),
    ...receipt.notices.map(({ code, message }) => yellow(`  notice  ${code}: ${oneLine(message)}`)),
    ...(result === null ? [] : [`  result  ${preview(oneLine(JSON.stringify(result)), 400)}`]),
  ];
}

/** Lines about tools that the agent behind the model has itself. */
function ownToolLines({ ownTools = [] }: StepResult): string[] {
  const lines = ownTools.map((use) => {
    const paths = use.paths.length === 0 ? "" : `, files: ${use.paths.join(", ")}`;
    return `  own tool  ${oneLine(`${useText(use)} (${use.kind}, ${use.status}${paths})`)}`;
  });
  return lines.length === 0 ? [] : [...lines, "  What its own tools read is not known here."];
}

function sentIn({ slots, tokens, edition, receiver }: Receipt): string {
  const sections = slots.flatMap((slot) => slot.sections.map(({ name }) => name));
  const counted = tokens === null ? "" : `${tokens.total} tokens (${tokens.exact ? "exact" : "estimated"}), `;
  const where = slots.map(({ slot }) => slot).join(", ");
  return `${counted}edition ${edition}, ${receiver === null ? "" : `to ${receiver}, `}slots: ${where}; sections: ${sections.join(", ")}`;
}
