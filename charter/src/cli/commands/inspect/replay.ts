import { identityText } from "../../../delivery/identity-text.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { ReplayedStep } from "../../../store/turns/steps.ts";
import { colours } from "../../print/colour.ts";
import { findStep, namedTurns } from "../../shared/find-step.ts";
import { parseOptions } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";
import { textFor } from "../../terminal/plain-text.ts";
import type { RequestForm } from "./replay-request.ts";

const options = {
  ...storeOptions,
  verify: { type: "boolean" },
  request: { type: "boolean" },
  body: { type: "boolean" },
  curl: { type: "boolean" },
} as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("replay", args, options);
  const [named = ""] = namedTurns("replay", positionals, 1);
  return withStore(values, async (store) => {
    const { scope, text: _, besides: __, ...sent } = await findStep(store, named);
    const form = requestForm(values);
    if (form) {
      await (await import("./replay-request.ts")).printRequest(store, sent.turn, sent.step, form);
      return 0;
    }
    if (values.json) process.stdout.write(`${JSON.stringify(replayJson(sent, values.verify))}\n`);
    else if (values.verify) process.stdout.write(`${proof(sent, scope.agent)}\n`);
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

function proof(
  { turn, step, number, at, slots, receipt }: Omit<ReplayedStep, "text" | "besides">,
  agent: string,
): string {
  const digests = slots.map(({ slot, digest }) => `  ${slot}: sha256 ${digest}`);
  const { identity } = receipt;
  const place = identity ? [`  The system prompt went ${identityText(identity)}.`] : [];
  return [`Proved: step ${step} of “${turn}”, ${agent}'s step ${number}, sent ${at}.`, ...digests, ...place].join("\n");
}

function replayJson(sent: Omit<ReplayedStep, "text" | "besides">, verify: boolean | undefined) {
  const { turn, step, number, at, digest, previous, slots, receipt } = sent;
  const shown = verify ? slots.map(({ slot, digest: of }) => ({ slot, digest: of })) : slots;
  return { turn, step, number, at, digest, previous, proved: true, slots: shown, receipt };
}
