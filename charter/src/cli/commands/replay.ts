import { identityText } from "../../delivery/model.ts";
import { colours } from "../../operations/print/columns.ts";
import { textFor } from "../../operations/print/plain-text.ts";
import { findStep, shownBytes } from "../../operations/turns/replay.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ReplayedStep } from "../../store/turns/steps.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { withStore } from "../shared/store.ts";
import type { RequestForm } from "./replay-request.ts";

/** Prints what a step sent: bytes as they are, or one of the other forms. */
export async function run({ input, json, database }: ParsedCommand): Promise<number> {
  const { turn, ...asked } = input as RequestValues & { readonly turn: string };
  return withStore({ database }, async (store, here) => {
    const { scope, ...found } = await findStep(store, turn);
    const form = requestForm({ ...asked, json });
    if (form) {
      await (await import("./replay-request.ts")).printRequest({ store, here }, found.turn, found.step, form);
      return 0;
    }
    const sent = shownBytes(found);
    const slots = asked.verify ? sent.slots.map(({ slot, digest }) => ({ slot, digest })) : sent.slots;
    if (json) process.stdout.write(`${JSON.stringify({ ...sent, slots })}\n`);
    else if (asked.verify) process.stdout.write(`${proof(sent, scope.agent)}\n`);
    else {
      await print(sent.slots);
      process.stderr.write(`${colours(process.stderr).dim(proof(sent, scope.agent))}\n`);
    }
    return 0;
  });
}

/** The bytes and nothing else on standard output. Which slot they stand in is said beside them, where there are several. */
async function print(slots: ReplayedStep["slots"]): Promise<void> {
  for (const { slot, text } of slots) {
    if (slots.length > 1) process.stderr.write(`--- slot: ${slot}\n`);
    await new Promise<void>((resolve) => process.stdout.write(textFor(process.stdout, text), () => resolve()));
    if (process.stdout.isTTY) process.stdout.write("\n");
  }
}

/** None of it: only the prompt's bytes are asked for. */
function requestForm({ request, body, curl, json, verify }: RequestValues): RequestForm | undefined {
  const forms = [...(body ? (["body"] as const) : []), ...(curl ? (["curl"] as const) : [])];
  if (forms.length > 1 || (forms.length > 0 && json) || (verify && (request || forms.length > 0)))
    throw new Problem("usage", "One form at a time: --json, --body, --curl or --verify.", "See charter replay --help.");
  return forms[0] ?? (request ? (json ? "json" : "text") : undefined);
}

type RequestValues = Readonly<Partial<Record<"request" | "body" | "curl" | "json" | "verify", boolean | undefined>>>;

function proof({ turn, step, number, at, slots, receipt }: ReturnType<typeof shownBytes>, agent: string): string {
  const digests = slots.map(({ slot, digest }) => `  ${slot}: sha256 ${digest}`);
  const { identity } = receipt;
  const place = identity ? [`  The system prompt went ${identityText(identity)}.`] : [];
  return [`Proved: step ${step} of “${turn}”, ${agent}'s step ${number}, sent ${at}.`, ...digests, ...place].join("\n");
}
