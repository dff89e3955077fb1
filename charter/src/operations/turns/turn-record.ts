import type { Step } from "../../store/turns/steps.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { checkOperator } from "../caller.ts";
import { agent, user } from "../common-fields.ts";
import { list, object, oneOf, text, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { shownTurns, turnFor } from "./read-turns.ts";
import { sample } from "./sample-fields.ts";
import { bytesOf, receiptsOf, requestOf } from "./sent.ts";
import { receipt, sentBytes, sentRequest } from "./sent-fields.ts";
import { turnFields } from "./turn-fields.ts";
import { turnLines } from "./turn-lines.ts";

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
    const wanted = new Set(asked.parts ?? (caller.by === "command" && !isModel ? ["receipts"] : []));
    if (wanted.size > 0) checkOperator(caller, "seeing what was sent");
    const found = await turnFor(context, asked);
    const [turn] = await shownTurns(store, [found], caller);
    return {
      ...(turn as NonNullable<typeof turn>),
      ...(wanted.has("receipts") && { receipts: await receiptsOf(store, found.id) }),
      ...(wanted.has("bytes") && { bytes: await bytesOf(store, found, step) }),
      ...(wanted.has("request") && { request: await requestOf(context, found, step) }),
      ...(wanted.has("sample") && { sample: await sampleIn(context, found) }),
    };
  },
  lines: ({ receipts = [], ...turn }) => turnLines(turn, receipts as readonly Step[]),
});

async function sampleIn({ host }: Pick<OperationContext, "host">, turn: Turn) {
  const { sampleOf } = await import("../samples/read-samples.ts");
  return sampleOf(await host(), turn);
}

export const operations = [showTurn];
