import { Problem } from "../../../prompt/problem.ts";
import type { Model, ModelRequest } from "../../model.ts";
import type { Receiver } from "../../receiver.ts";
import { loadModel } from "../provider.ts";
import { findModel } from "../table/find-model.ts";
import { priceHint } from "../table/model-entry.ts";
import { probeAttachment } from "./probe-attachment.ts";
import { probeFault } from "./probe-fault.ts";
import type { ProbeFinding, ProbeOptions } from "./probe-finding.ts";
import { serverOf } from "./probe-server.ts";
import { watchedFetch } from "./watched-response.ts";

const usualMs = 120_000;

/** Asks a model one word, as a turn would ask it, and tells what is wrong with its key, name, window or address. */
export async function probeModel(name: string, options: ProbeOptions): Promise<ProbeFinding[]> {
  const { withinMs = usualMs } = options;
  const watched = watchedFetch(options.fetch);
  let model: Model;
  try {
    const { limited: _, pictures: __, withinMs: ___, ...sources } = options;
    model = await loadModel(name, { ...sources, fetch: watched.fetch });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [{ what: error.message, fine: false, hint: error.hint }];
  }
  const signal = AbortSignal.timeout(withinMs);
  const { answer, fault } = await model.ask(oneWord(model.receiver), { signal });
  if (fault) {
    const server = serverOf(name, options, model);
    if (!server) return [{ what: fault.message, fine: false }];
    return [await probeFault(server, fault, watched.last())];
  }
  const { usage } = answer;
  const at = model.address === undefined ? "" : ` at ${model.address}`;
  // Zero is what a package makes of a count that is not there.
  const counted = Boolean(usage.input) && Boolean(usage.output);
  return [
    { what: `“${name}”${at} answers.`, fine: true },
    ...(counted
      ? []
      : [
          {
            what: `“${name}”: the server does not say how many tokens were used, so what it costs is not counted.`,
            fine: options.limited !== true,
            hint: "Limits in dollars hold only where tokens are counted.",
          },
        ]),
    await probeWindow(model, { name, signal, isCompatible: findModel(name, options)?.api === "openai-compatible" }),
    ...(options.pictures === false ? [] : await probeAttachment(name, model, signal)),
    ...(options.limited ? [] : priceFinding(model.receiver)),
  ];
}

/** A request like that of a turn: two messages in the user's role at its end, where the receiver is sent its state so. */
export function oneWord({ slots, voice }: Receiver): ModelRequest {
  const state = { role: voice, text: "(Charter asks this to see whether the model can be reached.)" };
  return {
    tools: [],
    system: [{ text: "Answer with one word." }],
    messages: [{ role: "user", text: "Say OK." }, ...(slots === "layered" ? [state] : [])],
  };
}

type Asked = { readonly name: string; readonly signal: AbortSignal; readonly isCompatible: boolean };

async function probeWindow(
  { receiver, askWindow }: Model,
  { name, signal, isCompatible }: Asked,
): Promise<ProbeFinding> {
  const [set, told] = [receiver.window, askWindow ? await askWindow({ signal }) : null];
  const tokens = (count: number) => `${count.toLocaleString("en-US")} tokens`;
  if (set !== null && told !== null && told < set)
    return {
      what: `“${name}”: its window is set to ${tokens(set)}, and its server takes ${tokens(told)}.`,
      fine: false,
      hint: `Set window: ${told}, or have the server load the model with more.`,
    };
  const window = set ?? told;
  if (window !== null)
    return {
      what: `“${name}” takes ${tokens(window)}, as ${set === null ? "its server tells" : "is set or known of it"}.`,
      fine: true,
      ...(window < little
        ? {
            hint: "That is little: prompts are trimmed, and conversations are summarised often. Load it with more if you can.",
          }
        : {}),
    };
  return {
    what: `“${name}”: how many tokens it takes is not known, and its server does not tell.`,
    fine: true,
    hint: `Set “window” for it, or the first request that is too long teaches it.${isCompatible ? ollamaHint : ""}`,
  };
}

const little = 8192;
/** At its usual port it is known by that; at another it is taken for any server of that protocol. */
const ollamaHint = ' If it is Ollama, set api: "ollama": it cuts what is too long without a word.';

function priceFinding({ name, price }: Receiver): ProbeFinding[] {
  const what = `“${name}”: its price is not known, so what it costs is not counted.`;
  return price ? [] : [{ what, fine: true, hint: priceHint(name) }];
}
