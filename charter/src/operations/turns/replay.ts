import type { Scope } from "../../amend/amendment.ts";
import { identityText } from "../../delivery/model.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import type { ReplayedStep } from "../../store/turns/steps.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { either, flag, text } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { sentBytes, sentRequest } from "./sent-fields.ts";

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

/** What one step sent, and whose turn it was. A turn is named by its id, one of its steps by `id/2`; else it is the last. */
export async function findStep(store: Store, named: string): Promise<FoundStep> {
  const [, before, number] = /^(.+)\/(\d{1,9})$/.exec(named) ?? [];
  // An id may end like a step itself.
  const whole = before === undefined || (await isTurn(store, named));
  const id = whole ? named : before;
  const { scope, state } = await store.turns.get(id);
  checkKept({ id, state });
  return { ...(await store.steps.replay(id, whole ? undefined : Number(number))), scope };
}

async function isTurn(store: Store, id: string): Promise<boolean> {
  try {
    return (await store.turns.get(id)).id === id;
  } catch (error) {
    if (error instanceof Problem && error.code === "unknown-turn") return false;
    throw error;
  }
}

/** What each step of a turn sent, section by section, and its result. */
export async function receiptsOf({ steps }: Store, turn: string) {
  return (await steps.of(turn)).map((step) => {
    const { ownTools = [] } = step.result ?? {};
    return { ...step, identity: identityFacts(step.receipt), ownTools };
  });
}

/** The very bytes a step sent; of the last, unless it is named. */
export async function bytesOf({ steps }: Store, turn: Pick<Turn, "id" | "state">, step?: number) {
  checkKept(turn);
  return shownBytes(await steps.replay(turn.id, step));
}

export function shownBytes({ text: _, result: __, erasedAt: ___, besides: ____, ...sent }: ReplayedStep) {
  return { ...sent, proved: true as const, identity: identityFacts(sent.receipt) };
}

/** The whole request of a step; of the last, unless it is named. */
export async function requestOf(
  { store, host }: Pick<OperationContext, "store" | "host">,
  turn: Pick<Turn, "id" | "state">,
  step?: number,
) {
  checkKept(turn);
  const [{ replayRequest }, { requestFacts }] = await Promise.all([
    import("../../agent/replay.ts"),
    import("../../agent/replay.ts"),
  ]);
  return requestFacts(await replayRequest(store, turn.id, step), {}, (await host()).models);
}

export function checkKept({ id, state }: Pick<Turn, "id" | "state">): void {
  if (state === "erased") throw new Problem("erased", `What was sent in “${id}” was erased.`, "It cannot be rebuilt.");
}

function identityFacts(receipt: Receipt | null) {
  const identity = receipt?.identity;
  return identity === undefined ? null : { ...identity, says: identityText(identity) };
}
