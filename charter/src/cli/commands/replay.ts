import { type ReplayedRequest, replayRequest, requestFacts } from "../../agent/replay.ts";
import { messageTokens } from "../../delivery/cost.ts";
import { identityText, type Message } from "../../delivery/model.ts";
import { loadReceiverTokenizer, receiverFacts } from "../../delivery/receiver.ts";
import { colours } from "../../operations/print/columns.ts";
import { textFor } from "../../operations/print/plain-text.ts";
import { findStep, shownBytes } from "../../operations/turns/replay.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import type { SentSection } from "../../prompt/receipt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Store } from "../../store/store.ts";
import type { ReplayedStep } from "../../store/turns/steps.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { withStore } from "../shared/store.ts";
import type { Here } from "../shared/trust/here.ts";
import { modelTable } from "../shared/trusted-settings.ts";

/** Prints what a step sent: its exact bytes, or one of the other forms. */
export async function run({ input, json, database }: ParsedCommand): Promise<number> {
  const { turn, ...asked } = input as RequestValues & { readonly turn: string };
  return withStore({ database }, async (store, here) => {
    const { scope, ...found } = await findStep(store, turn);
    const form = requestForm({ ...asked, json });
    if (form) {
      await printRequest({ store, here }, found.turn, found.step, form);
      return 0;
    }
    const sent = await shownBytes(found);
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

/** Prints the bytes alone on standard output. If there are several slots, their names go to standard error. */
async function print(slots: ReplayedStep["slots"]): Promise<void> {
  for (const { slot, text } of slots) {
    if (slots.length > 1) process.stderr.write(`--- slot: ${slot}\n`);
    await new Promise<void>((resolve) => process.stdout.write(textFor(process.stdout, text), () => resolve()));
    if (process.stdout.isTTY) process.stdout.write("\n");
  }
}

/** Form of the request to print; undefined for the prompt's bytes. */
function requestForm({ request, body, curl, json, verify }: RequestValues): RequestForm | undefined {
  const forms = [...(body ? (["body"] as const) : []), ...(curl ? (["curl"] as const) : [])];
  if (forms.length > 1 || (forms.length > 0 && json) || (verify && (request || forms.length > 0)))
    throw new Problem("usage", "One form at a time: --json, --body, --curl or --verify.", "See charter replay --help.");
  return forms[0] ?? (request ? (json ? "json" : "text") : undefined);
}

type RequestValues = Readonly<Partial<Record<"request" | "body" | "curl" | "json" | "verify", boolean | undefined>>>;

function proof(
  { turn, step, number, at, slots, receipt }: Awaited<ReturnType<typeof shownBytes>>,
  agent: string,
): string {
  const digests = slots.map(({ slot, digest }) => `  ${slot}: sha256 ${digest}`);
  const { identity } = receipt;
  const place = identity ? [`  The system prompt went ${identityText(identity)}.`] : [];
  return [`Proved: step ${step} of “${turn}”, ${agent}'s step ${number}, sent ${at}.`, ...digests, ...place].join("\n");
}

/** Forms of a request: for people, as JSON, as the body that was sent, or as the command that sends it. */
export type RequestForm = "text" | "json" | "body" | "curl";

/** Prints the whole request of a past step on standard output, and remarks about it on standard error. */
async function printRequest(
  { store, here }: { readonly store: Store; readonly here: Here },
  turn: string,
  step: number,
  form: RequestForm,
): Promise<void> {
  const replayed = await replayRequest(store, turn, step);
  const facts = await requestFacts(replayed, await here.environment(), await modelTable(here));
  if (form === "json") return printText(`${JSON.stringify(facts)}\n`);
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
    await printText(`${[...lines, "", "=== body", says, ...opinions].join("\n")}\n`);
  } else if (body === null) throw new Problem("no-body", says, "See the request with --request.");
  else await printText(form === "body" ? body.text : `${body.curl}\n`);
  const { receipt, ...proved } = replayed.step;
  const about = `Proved: step ${proved.step} of “${turn}”, sent ${proved.at} to ${receipt.receiver}.`;
  process.stderr.write(`${colours(process.stderr).dim(form === "text" ? about : `${about}\n${says}`)}\n`);
}

function printText(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(textFor(process.stdout, text), () => resolve()));
}

function noBody({ step }: ReplayedRequest): string {
  return `There is no body: no provider's package made one for ${step.receipt.receiver ?? "this model"}.`;
}

/** Formats a request in the order in which the model reads it: tools, system, messages, each with its tokens. */
function requestLines({ step, request }: ReplayedRequest, tokenizer: Tokenizer): string[] {
  const { receipt, text } = step;
  const tokens = (count: number | null) => (count === null ? "tokens not counted" : counted(count, "token"));
  const offers = request.tools.length === 0 ? 0 : tokenizer.count(JSON.stringify(request.tools));
  const system = receipt.slots.find(({ slot }) => slot === "system");
  const sections = system?.sections ?? [];
  const inSystem = sections.reduce((sum, section) => sum + (section.tokens ?? tokenizer.count(text(section))), 0);
  const inMessages = request.messages.reduce((sum, message) => sum + messageTokens(message, tokenizer), 0);
  const places = new Map(receipt.slots.flatMap((slot) => (slot.message === undefined ? [] : [[slot.message, slot]])));
  const heading = (what: string, many: string, count: number) => `=== ${what}: ${many}, ${tokens(count)}`;
  return [
    heading("tools", counted(request.tools.length, "tool"), offers),
    ...request.tools.flatMap(({ name, description, input }) => [
      `--- ${name}`,
      ...(description === name ? [] : [description]),
      JSON.stringify(input),
    ]),
    "",
    heading("system", counted(sections.length, "section"), inSystem),
    ...sections.flatMap((section, index) => [
      `--- ${sectionTitle(section)} · ${tokens(section.tokens ?? tokenizer.count(text(section)))}${
        system?.breakpoints.includes(index + 1) ? " · cache breakpoint after it" : ""
      }`,
      text(section).replace(/\n+$/, ""),
    ]),
    "",
    heading("messages", counted(request.messages.length, "message"), inMessages),
    ...request.messages.flatMap((message, index) => {
      const slot = places.get(index);
      const slotText = slot ? ` · ${slot.slot}: ${slot.sections.map(({ name }) => name).join(", ")}` : "";
      const mark = message.breakpoint ? " · cache breakpoint after it" : "";
      const title = `--- ${index + 1} ${message.role}${slotText} · ${tokens(messageTokens(message, tokenizer))}${mark}`;
      return [title, ...messageLines(message)];
    }),
  ];
}

function sectionTitle({ name, layer, mutability, trust, source, revision }: SentSection): string {
  const from = revision === null ? source : `${source}, revision ${revision}`;
  return `${name} · ${layer}, ${mutability} · ${from} · ${trust}`;
}

function messageLines(message: Message): string[] {
  if (message.role === "tool")
    return message.results.map(
      ({ name, call, output, failed }) => `${name} (${call})${failed ? " failed" : ""}: ${output}`,
    );
  if (message.role !== "assistant") return [message.text];
  const calls = message.calls.map(({ id, name, input }) => `calls ${name} (${id}) ${input}`);
  const native =
    message.native === undefined ? [] : [`with its provider's own parts: ${JSON.stringify(message.native)}`];
  return [...(message.text === "" ? [] : [message.text]), ...calls, ...native];
}
