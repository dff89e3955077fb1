import type { ReplayedRequest } from "../../agent/replay.ts";
import { messageTokens } from "../../delivery/cost.ts";
import type { Message } from "../../delivery/model.ts";
import { counted } from "../../prompt/problem.ts";
import type { SentSection } from "../../prompt/receipt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";

/** A request as people read it, in the order in which the model does: tools, system, messages, each with its tokens. */
export function requestLines({ step, request }: ReplayedRequest, tokenizer: Tokenizer): string[] {
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
      const placed = slot ? ` · ${slot.slot}: ${slot.sections.map(({ name }) => name).join(", ")}` : "";
      const mark = message.breakpoint ? " · cache breakpoint after it" : "";
      const title = `--- ${index + 1} ${message.role}${placed} · ${tokens(messageTokens(message, tokenizer))}${mark}`;
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
