import { type ReplayedRequest, replayRequest, requestFacts } from "../../agent/replay.ts";
import { loadReceiverTokenizer, receiverFacts } from "../../delivery/receiver.ts";
import { colours } from "../../operations/print/columns.ts";
import { textFor } from "../../operations/print/plain-text.ts";
import { requestLines } from "../../operations/print/request.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { Here } from "../shared/trust/here.ts";
import { modelTable } from "../shared/trusted-settings.ts";

/** How a request is printed: as people read it, as JSON, as the body that went out, or as the command that sends that. */
export type RequestForm = "text" | "json" | "body" | "curl";

/** Prints the whole request of a past step. What was asked for goes to standard output, what is said of it beside. */
export async function printRequest(
  { store, here }: { readonly store: Store; readonly here: Here },
  turn: string,
  step: number,
  form: RequestForm,
): Promise<void> {
  const replayed = await replayRequest(store, turn, step);
  const facts = await requestFacts(replayed, await here.environment(), await modelTable(here));
  if (form === "json") return print(`${JSON.stringify(facts)}\n`);
  const { body } = facts;
  const says = body?.says ?? noBody(replayed);
  if (form === "text") {
    const { tokenizer } = receiverFacts(replayed.step.receipt.receiver ?? "");
    const lines = requestLines(replayed, await loadReceiverTokenizer(tokenizer));
    const opinions = facts.opinions.flatMap(({ model, request: { system, messages } }) => [
      "",
      `=== second opinion of ${model}`,
      ...[...system, ...messages].map((one) => ("text" in one ? one.text : "")),
    ]);
    await print(`${[...lines, "", "=== body", says, ...opinions].join("\n")}\n`);
  } else if (body === null) throw new Problem("no-body", says, "See the request with --request.");
  else await print(form === "body" ? body.text : `${body.curl}\n`);
  const { receipt, ...proved } = replayed.step;
  const about = `Proved: step ${proved.step} of “${turn}”, sent ${proved.at} to ${receipt.receiver}.`;
  process.stderr.write(`${colours(process.stderr).dim(form === "text" ? about : `${about}\n${says}`)}\n`);
}

function print(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(textFor(process.stdout, text), () => resolve()));
}

function noBody({ step }: ReplayedRequest): string {
  return `There is no body: no provider's package made one for ${step.receipt.receiver ?? "this model"}.`;
}
