import { identityText } from "../../../delivery/identity-text.ts";
import type { ReplayedStep } from "../../../store/turns/steps.ts";
import { colours } from "../../print/colour.ts";
import { findStep, namedTurns } from "../../shared/find-step.ts";
import { parseOptions } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = { ...storeOptions, verify: { type: "boolean" } } as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("replay", args, options);
  const [named = ""] = namedTurns("replay", positionals, 1);
  return withStore(values, async (store) => {
    const { scope, text: _, ...sent } = await findStep(store, named);
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
    await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
    if (process.stdout.isTTY) process.stdout.write("\n");
  }
}

function proof({ turn, step, number, at, slots, receipt }: Omit<ReplayedStep, "text">, agent: string): string {
  const digests = slots.map(({ slot, digest }) => `  ${slot}: sha256 ${digest}`);
  const { identity } = receipt;
  const place = identity ? [`  The system prompt went ${identityText(identity)}.`] : [];
  return [`Proved: step ${step} of “${turn}”, ${agent}'s step ${number}, sent ${at}.`, ...digests, ...place].join("\n");
}

function replayJson(sent: Omit<ReplayedStep, "text">, verify: boolean | undefined) {
  const { turn, step, number, at, digest, previous, slots, receipt } = sent;
  const shown = verify ? slots.map(({ slot, digest: of }) => ({ slot, digest: of })) : slots;
  return { turn, step, number, at, digest, previous, proved: true, slots: shown, receipt };
}
