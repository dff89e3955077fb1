import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import type { ReplayedStep } from "../../store/turns/steps.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { anything, attachment, either, flag, list, object, oneOf, record, text, time, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";

const identity = object({
  slot: text("`system-prompt`, `meta-append`, `meta-buzz` or `first-message`."),
  sent: flag("It went with this request; else with an earlier one."),
  says: text("The same in words."),
})
  .named("Identity", "Where an agent that keeps the conversation itself was given the system prompt.")
  .example({ slot: "system-prompt", sent: true, says: "in the agent's system prompt field, with this request" });

const ownTool = object({
  id: text(),
  title: text(),
  kind: text("`read`, `edit`, `execute`, `fetch` and so on, as the agent said."),
  status: oneOf(["pending", "running", "done", "failed"]),
  paths: list(text()),
}).named("OwnTool", "A tool of its own that an agent used. What it read is not known here.");

/** Turn and number of a sent step, and the digest of its receipt. */
const sentStep = {
  turn: text(),
  step: whole(),
  number: whole("Which of all the agent's steps it is."),
  at: time(),
  digest: text(),
};

export const receipt = object({
  ...sentStep,
  receipt: anything("Every section that was sent: where, with its digest, and how many tokens."),
  previous: text(),
  erasedAt: time().nullable(),
  result: anything("The answer, the calls and their results."),
  identity: identity.says("Null for models that are sent the prompt each time.").nullable(),
  ownTools: list(ownTool),
}).named("Step", "One model call, and what is kept of it.");

export const sentBytes = object({
  ...sentStep,
  previous: text(),
  proved: oneOf([true], "The words of every slot have the digest that the receipt names."),
  slots: list(object({ slot: text(), text: text(), digest: text() })),
  receipt: anything(),
  identity: identity.nullable(),
}).named("SentBytes", "The very bytes a step sent, slot by slot; as `charter replay --json`.");

const isTrue = (says?: string) => oneOf([true], says).optional();
const breakpoint = isTrue("There is a cache breakpoint after it.");

const sentFile = object({ ...attachment, data: text("Its bytes, as base64.").optional() });

const sentMessage = either(
  object({
    role: oneOf(["system", "user"]),
    text: text(),
    attachments: list(sentFile).optional(),
    update: text().optional(),
    breakpoint,
  }),
  object({
    role: oneOf(["assistant"]),
    text: text(),
    calls: list(object({ id: text(), name: text(), input: text() })),
    native: anything().optional(),
    breakpoint,
  }),
  object({
    role: oneOf(["tool"]),
    results: list(
      object({
        call: text(),
        name: text(),
        output: text(),
        failed: isTrue(),
        shortened: isTrue("It was longer than there was room for."),
      }),
    ),
    breakpoint,
  }),
);

const madeBy = { digest: text(), address: text(), package: text(), version: text() };

const replayedBody = object({
  text: text(),
  ...madeBy,
  headers: record(text(), "The key is the name of the variable it is in, behind a dollar sign."),
  sent: object(madeBy, "The body that went out, by its digest; null where that is not on record.").nullable(),
  same: flag("It is, byte for byte, the body that went out.").nullable(),
  says: text(),
  curl: text("The command that sends it once more, without the key."),
});

/** Request of a model: tools, system and messages. */
export const wholeRequest = object({
  tools: list(object({ name: text(), description: text(), input: record(anything()) })),
  system: list(object({ text: text(), breakpoint })),
  messages: list(sentMessage),
  cacheKey: text().optional(),
  answerTokens: whole("The most tokens its answer might have; else the model's.").optional(),
  toolChoice: oneOf(["none"], "None of its tools could be called.").optional(),
  output: object({ name: text(), schema: record(anything()) }, "What the final answer had to be.").optional(),
});

export const sentRequest = object({
  ...sentStep,
  proved: oneOf([true], "Tools, system and messages have the digests of the receipt."),
  receiver: text().nullable(),
  request: wholeRequest,
  body: replayedBody.says("Null: no provider's package made one.").nullable(),
  opinions: list(
    object({ model: text(), request: wholeRequest }),
    "How second opinions were asked for while its tools ran.",
  ),
}).named("SentRequest", "A request as the model was given it; as `charter replay --request --json`.");

const replayTurn = operation({
  name: "turns.replay",
  says: "Print the exact bytes that were sent to the model",
  command: "replay <turn>",
  examples: [
    ["charter replay <turn>", "the last step of a turn"],
    ["charter replay <turn>/1", "the first step"],
    ["charter replay <turn> | sha256sum", "the digest in its receipt"],
    ["charter replay <turn> --request", "the whole request: tools, system, messages"],
  ],
  notes:
    "Without --request only the words of the prompt are printed. The bytes go to standard output; the verification, and the name of each slot if there are several, to standard error. If the bytes were erased or changed, that is an error (exit code 2).",
  who: "operator",
  input: {
    turn: text("A turn; a step of it is named as <turn>/<step>."),
    verify: flag("Only verify the bytes, do not print them.").optional(),
    request: flag("The whole request as the model was given it, with token counts.").optional(),
    body: flag("The body that went out to the provider, and nothing else.").optional(),
    curl: flag("The command that sends it again; the key is a variable in it.").optional(),
  },
  answer: either(sentBytes, sentRequest),
});

export const operations = [replayTurn];

export type FoundStep = ReplayedStep & { readonly scope: Scope };

/** Finds a step that was sent, and the scope of its turn. An id names a turn's last step, or `usual`; `id/2` a certain one. */
export async function findStep(store: Store, named: string, usual?: number): Promise<FoundStep> {
  const [, before, number] = /^(.+)\/(\d{1,9})$/.exec(named) ?? [];
  // An id may itself end in `/2`.
  const whole = before === undefined || (await isTurn(store, named));
  const id = whole ? named : before;
  const { scope, state } = await store.turns.get(id);
  checkKept({ id, state });
  return { ...(await store.steps.replay(id, whole ? usual : Number(number))), scope };
}

async function isTurn(store: Store, id: string): Promise<boolean> {
  try {
    return (await store.turns.get(id)).id === id;
  } catch (error) {
    if (error instanceof Problem && error.code === "unknown-turn") return false;
    throw error;
  }
}

/** Lists what each step of a turn sent, section by section, and its result. */
export async function receiptsOf({ steps }: Store, turn: string) {
  const facts = (await steps.of(turn)).map(async (step) => {
    const { ownTools = [] } = step.result ?? {};
    return { ...step, identity: await identityFacts(step.receipt), ownTools };
  });
  return Promise.all(facts);
}

/** Returns the exact bytes a step sent; those of the last by default. */
export async function bytesOf({ steps }: Store, turn: Pick<Turn, "id" | "state">, step?: number) {
  checkKept(turn);
  return shownBytes(await steps.replay(turn.id, step));
}

export async function shownBytes({ text: _, result: __, erasedAt: ___, besides: ____, ...sent }: ReplayedStep) {
  return { ...sent, proved: true as const, identity: await identityFacts(sent.receipt) };
}

/** Returns the whole request of a step; of the last by default. */
export async function requestOf(
  { store, host }: Pick<OperationContext, "store" | "host">,
  turn: Pick<Turn, "id" | "state">,
  step?: number,
) {
  checkKept(turn);
  const { replayRequest, requestFacts } = await import("../../agent/replay.ts");
  return requestFacts(await replayRequest(store, turn.id, step), {}, (await host()).models);
}

function checkKept({ id, state }: Pick<Turn, "id" | "state">): void {
  if (state === "erased") throw new Problem("erased", `What was sent in “${id}” was erased.`, "It cannot be rebuilt.");
}

async function identityFacts(receipt: Receipt | null) {
  const identity = receipt?.identity;
  if (identity === undefined) return null;
  const { identityText } = await import("../../delivery/model.ts");
  return { ...identity, says: identityText(identity) };
}
