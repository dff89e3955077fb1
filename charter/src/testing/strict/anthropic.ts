import { canonical, type Json, listOf, opensWithMark, partsOf, type SpokenText, type StrictFault } from "./request.ts";

/**
 * What Anthropic's Messages API documents: “Prefix checks on thinking blocks”, “Mid-conversation system messages” and “Handling
 * stop reasons”, read on 2026-11-19.
 */
export type AnthropicBody = {
  readonly model: string;
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly messages: readonly Json[];
  readonly thinking?: Json;
};

/** What the server knows of the answers it gave. */
export type AnthropicMemory = {
  /** The thinking blocks it gave out, by their signatures. */
  readonly thoughts: ReadonlyMap<string, ThoughtBinding>;
  /** The answers that it paused in, as `canonical` writes their blocks. */
  readonly paused: ReadonlySet<string>;
};

/** A thinking block that was given out: by which model, what stood before it, and which thinking block came before it. */
export type ThoughtBinding = {
  readonly model: string;
  readonly prefix: readonly string[];
  readonly after: string | null;
};

/** How a request was made, apart from its body. */
export type AnthropicOptions = {
  readonly betas?: readonly string[];
  /** What becomes of thinking that does not fit, where the request does not say. */
  readonly mismatch?: "error" | "drop";
};

/** A thinking block that is left out of what the model reads. */
export type DroppedThought = {
  readonly type: "thinking_dropped";
  readonly path: string;
  readonly reason: "prefix_binding_mismatch" | "model_binding_mismatch";
};

const bindingBeta = "thinking-binding-controls-2026-08-01";

/** Returns true for a model that binds its thinking to what stands before it. */
function bindsThinking(model: string): boolean {
  return /claude-(?:(?:fable|mythos)-5-[1-9]|(?:opus|sonnet|haiku)-5-[5-9])/.test(model);
}

/** Returns true for a model that takes system messages among the others. */
function takesSystemMessages(model: string): boolean {
  return bindsThinking(model) || /claude-(?:fable-5|mythos-5|opus-5|opus-4-8)/.test(model);
}

/** Returns what Anthropic has against a request; undefined if it answers. */
export function checkAnthropic(
  body: AnthropicBody,
  memory: AnthropicMemory,
  options: AnthropicOptions = {},
): StrictFault | undefined {
  return (
    checkBlocks(body) ??
    checkOrder(body, memory) ??
    checkResults(body) ??
    checkSystemMessages(body, options) ??
    checkBinding(body, options) ??
    thinkingIn(body, memory, options).fault
  );
}

function fault(check: StrictFault["check"], at: string, message: string): StrictFault {
  const body = { type: "error", error: { type: "invalid_request_error", message } };
  return { check, at, message, status: 400, body };
}

/** A block of a request, and its place. */
type Placed = { readonly at: string; readonly role: string; readonly block: Json };

function systemBlocks({ system }: AnthropicBody): Placed[] {
  return partsOf(system).map((block, index) => ({ at: `system.${index}`, role: "system", block }));
}

function blocksOf(message: Json, index: number): Placed[] {
  return partsOf(message.content).map((block, place) => ({
    at: `messages.${index}.content.${place}`,
    role: String(message.role),
    block,
  }));
}

function allBlocks(body: AnthropicBody): Placed[] {
  return [...systemBlocks(body), ...body.messages.flatMap(blocksOf)];
}

function checkBlocks(body: AnthropicBody): StrictFault | undefined {
  const blocks = allBlocks(body);
  for (const { at, block } of blocks)
    if (block.type === "text" && block.text === "")
      return block.cache_control
        ? fault("empty-text", at, `${at}.text: cache_control cannot be set for empty text blocks`)
        : fault("empty-text", at, `${at.replace(/\.content\.\d+$/, "")}: text content blocks must be non-empty`);
  const marked = [
    ...listOf(body.tools).map((block, index) => ({ at: `tools.${index}`, block })),
    ...blocks.flatMap(({ at, block }) => [
      { at, block },
      ...listOf(block.content).map((inner) => ({ at, block: inner })),
    ]),
  ].filter(({ block }) => block.cache_control);
  const fifth = marked[4];
  return (
    fifth &&
    fault("breakpoints", fifth.at, `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`)
  );
}

/** Messages in a row of one role, which are one to the model. */
type Run = { readonly role: string; readonly blocks: readonly Placed[] };

function runsOf({ messages }: AnthropicBody): Run[] {
  const runs: { role: string; blocks: Placed[] }[] = [];
  for (const [index, message] of messages.entries()) {
    const last = runs.at(-1);
    if (last && last.role === message.role) last.blocks.push(...blocksOf(message, index));
    else runs.push({ role: String(message.role), blocks: blocksOf(message, index) });
  }
  return runs;
}

function checkOrder(body: AnthropicBody, { paused }: AnthropicMemory): StrictFault | undefined {
  const { messages } = body;
  const strange = messages.findIndex(({ role }) => !["user", "assistant", "system"].includes(String(role)));
  if (strange !== -1)
    return fault(
      "order",
      `messages.${strange}`,
      `messages.${strange}.role: Input should be 'user', 'assistant' or 'system'`,
    );
  if (messages[0]?.role !== "user")
    return fault("order", "messages.0", 'messages: first message must use the "user" role');
  const empty = messages.findIndex(({ content, output_config }) => partsOf(content).length === 0 && !output_config);
  if (empty !== -1)
    return fault(
      "order",
      `messages.${empty}`,
      `messages.${empty}: all messages must have non-empty content except for the optional final assistant message`,
    );
  const last = runsOf(body).findLast(({ role }) => role !== "system") as Run;
  if (last.role !== "assistant" || isPaused(last, paused)) return undefined;
  return fault(
    "order",
    `messages.${messages.length - 1}`,
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  );
}

function isPaused({ blocks }: Run, paused: ReadonlySet<string>): boolean {
  return blocks.some((_, from) => paused.has(canonical(blocks.slice(from).map(({ block }) => block))));
}

function checkResults(body: AnthropicBody): StrictFault | undefined {
  const runs = runsOf(body);
  for (const [index, { role, blocks }] of runs.entries()) {
    const before = runs[index - 1];
    const asked = before?.role === "assistant" ? callsIn(before) : [];
    const answered = blocks.filter(({ block }) => block.type === "tool_result");
    const stray = answered.find(
      ({ role: from, block }) => from !== "user" || !asked.some((call) => call.block.id === block.tool_use_id),
    );
    if (stray)
      return fault(
        "results",
        stray.at,
        `${stray.at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    if (role !== "assistant") continue;
    const next = runs[index + 1];
    const leading = next?.role === "user" ? leadingResults(next) : [];
    const open = callsIn({ role, blocks }).filter(({ block }) => leading.filter((id) => id === block.id).length !== 1);
    const [first] = open;
    if (first)
      return fault(
        "results",
        first.at,
        `${first.at.replace(/\.content\.\d+$/, "")}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map(({ block }) => block.id).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
  }
  return undefined;
}

function callsIn({ blocks }: Run): readonly Placed[] {
  return blocks.filter(({ block }) => block.type === "tool_use");
}

/** Lists the results that a message opens with: after anything else they count no more. */
function leadingResults({ blocks }: Run): unknown[] {
  const end = blocks.findIndex(({ block }) => block.type !== "tool_result");
  return blocks.slice(0, end === -1 ? blocks.length : end).map(({ block }) => block.tool_use_id);
}

function checkSystemMessages(body: AnthropicBody, { betas = [] }: AnthropicOptions): StrictFault | undefined {
  const { messages, model } = body;
  for (const [index, message] of messages.entries()) {
    if (message.role !== "system") continue;
    const at = `messages.${index}`;
    const wrong = (words: string) => fault("system-message", at, `${at}${words}`);
    if (!takesSystemMessages(model)) return wrong(": role 'system' is not supported on this model");
    const content = partsOf(message.content);
    if (content.length === 0) continue;
    const before = messages.slice(0, index).findLast(({ role }) => role !== "system");
    const after = messages.slice(index + 1).find(({ role }) => role !== "system");
    if (before?.role !== "user" && !endsInServerResult(before))
      return wrong(": a system message must immediately follow a user message");
    if (after && after.role !== "assistant")
      return wrong(": a system message must be last or be followed by an assistant message");
    const changes = content.filter(({ type }) => type !== "text");
    if (message.clear_at !== undefined) {
      if (!betas.includes("mid-conversation-system-clear-at-2026-08-21"))
        return wrong(".clear_at: Extra inputs are not permitted");
      if (message.clear_at === "next_user_message") {
        if (changes.length > 0)
          return wrong(": a turn-scoped system message supports text blocks only (clear_at: 'next_user_message')");
        if (content.some(({ cache_control }) => cache_control))
          return wrong(
            ".content.0: cache_control is not permitted on a turn-scoped system message (clear_at: 'next_user_message')",
          );
      }
    }
    const unknown = changes.find((change) => !isToolChange(change, body, betas));
    if (unknown) return wrong(`: \`${String(unknown.type)}\` does not name a tool that can be changed here`);
  }
  return undefined;
}

function endsInServerResult(message: Json | undefined): boolean {
  return message?.role === "assistant" && /_tool_result$/.test(String(partsOf(message.content).at(-1)?.type));
}

const inlineTools = "inline-tools-2026-09-15";
const toolChanges = "mid-conversation-tool-changes-2026-07-01";

function isToolChange({ type, tool }: Json, { tools, messages }: AnthropicBody, betas: readonly string[]): boolean {
  const { type: form, name, definition } = Object(tool) as Json;
  if (type !== "tool_addition" && type !== "tool_removal") return false;
  if (form === "tool_definition") return betas.includes(inlineTools) && type === "tool_addition" && Boolean(definition);
  const defined = messages
    .flatMap(({ content }) => partsOf(content))
    .map((block) => Object(Object(block.tool).definition).name);
  const known = [...listOf(tools).map((one) => one.name), ...defined];
  return betas.some((beta) => beta === inlineTools || beta === toolChanges) && known.includes(name);
}

/** What a request says itself of thinking that does not fit. */
function mismatchBehavior({ thinking }: AnthropicBody): unknown {
  return Object(thinking?.block_binding).prefix_mismatch_behavior;
}

function checkBinding(body: AnthropicBody, { betas = [] }: AnthropicOptions): StrictFault | undefined {
  const at = "thinking.block_binding";
  if (body.thinking?.block_binding === undefined || betas.includes(bindingBeta)) return undefined;
  return fault("prefix", at, `${at}: Extra inputs are not permitted`);
}

/** What stands before a place of a request, each thing as one text: system, tools, and every block but the thinking. */
type Entry = { readonly at: string; readonly text: string };

function entriesOf(body: AnthropicBody, blocks: readonly Placed[]): Entry[] {
  const tools = listOf(body.tools);
  return [
    { at: "system", text: canonical(partsOf(body.system)) },
    { at: "tools", text: canonical(tools.filter(({ defer_loading }) => defer_loading !== true)) },
    ...blocks
      .filter(({ block }) => !isThinking(block))
      .map(({ at, role, block }) => ({
        at,
        text: canonical([role, block, clearAt(body, at), tools.find(({ name }) => name === Object(block.tool).name)]),
      })),
  ];
}

function clearAt({ messages }: AnthropicBody, at: string): unknown {
  return messages[Number(at.split(".")[1])]?.clear_at;
}

function isThinking({ type }: Json): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function signatureOf(block: Json): string {
  return String(block.signature ?? block.data ?? "");
}

/** What becomes of the thinking in a request: which is read, which is dropped, and the fault if one is refused. */
export function thinkingIn(body: AnthropicBody, memory: AnthropicMemory, options: AnthropicOptions = {}) {
  const behavior = mismatchBehavior(body) ?? (options.mismatch === "drop" ? "drop_block" : "error");
  const blocks = body.messages.flatMap(blocksOf);
  const entries = entriesOf(body, blocks);
  const read: { readonly signature: string; readonly model: string }[] = [];
  const dropped: DroppedThought[] = [];
  const unfit = new Set<string>();
  let passed = 2;
  for (const { at, block } of blocks) {
    if (!isThinking(block)) {
      passed++;
      continue;
    }
    const signature = signatureOf(block);
    const thought = memory.thoughts.get(signature);
    if (!thought) {
      const message = `${at}: Invalid \`signature\` in \`thinking\` block`;
      return { read, dropped, fault: fault("prefix", at, message) };
    }
    if (!readsThinkingOf(body.model, thought.model)) {
      dropped.push({ type: "thinking_dropped", path: at, reason: "model_binding_mismatch" });
      continue;
    }
    const before = read.findLast((one) => readsThinkingOf(thought.model, one.model))?.signature;
    const gap = before === undefined ? unfit.has(thought.after ?? "") : before !== thought.after;
    const other = entries.slice(0, passed).find(({ text }, index) => text !== thought.prefix[index]);
    const shorter = other === undefined && passed !== thought.prefix.length;
    if (!bindsThinking(body.model) || (!gap && !other && !shorter)) {
      read.push({ signature, model: thought.model });
      continue;
    }
    if (behavior === "drop_block") {
      unfit.add(signature);
      dropped.push({ type: "thinking_dropped", path: at, reason: "prefix_binding_mismatch" });
      continue;
    }
    return { read, dropped, fault: bindingFault(at, other?.at, options) };
  }
  return { read, dropped, fault: undefined };
}

function bindingFault(at: string, differs: string | undefined, { betas = [] }: AnthropicOptions): StrictFault {
  const first =
    differs === undefined
      ? ""
      : ` Content before this block differs from when it was created, first at \`${differs}\`.`;
  const header = betas.includes(bindingBeta)
    ? ""
    : ` That setting requires the \`${bindingBeta}\` value in the \`anthropic-beta\` header.`;
  return fault(
    "prefix",
    at,
    `${at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".${first}${header}`,
  );
}

/** Returns true if a model can read what another one thought: its own, and that of older ones. */
function readsThinkingOf(reader: string, writer: string): boolean {
  if (reader === writer) return true;
  const [one, other] = [familyOf(reader), familyOf(writer)];
  return one.largest || (!other.largest && other.version < one.version);
}

function familyOf(model: string): { readonly largest: boolean; readonly version: number } {
  const [, family = "", major = "0", minor = "0"] = /claude-([a-z]+)-(\d+)(?:-(\d)(?!\d))?/.exec(model) ?? [];
  return { largest: family === "fable" || family === "mythos", version: Number(major) * 10 + Number(minor) };
}

/** Makes what is remembered of a thinking block that is given out, after what stands in the answer before it. */
export function newThought(
  body: AnthropicBody,
  memory: AnthropicMemory,
  answered: readonly Json[],
  options: AnthropicOptions = {},
): ThoughtBinding {
  const earlier = [
    ...body.messages.flatMap(blocksOf),
    ...answered.map((block): Placed => ({ at: "", role: "assistant", block })),
  ];
  const own = answered.findLast(isThinking);
  const { read } = thinkingIn(body, memory, options);
  const last = read.findLast(({ model }) => readsThinkingOf(body.model, model))?.signature;
  return {
    model: body.model,
    prefix: entriesOf(body, earlier).map(({ text }) => text),
    after: own ? signatureOf(own) : (last ?? null),
  };
}

/** Finds text right after tool results, at the end of a request: Claude takes it for the end of its turn, and says nothing. */
export function textAfterResults(body: AnthropicBody): SpokenText | undefined {
  const last = runsOf(body).at(-1);
  if (last?.role !== "user" || !last.blocks.some(({ block }) => block.type === "tool_result")) return undefined;
  const text = last.blocks.find(({ block }) => block.type === "text");
  return text && { at: text.at, text: String(text.block.text) };
}

/** Lists the texts that speak for the system: in its field, in its messages, and after the mark of a session. */
export function systemTextsOf(body: AnthropicBody): readonly SpokenText[] {
  return allBlocks(body)
    .filter(({ role, block }) => block.type === "text" && (role === "system" || opensWithMark(String(block.text))))
    .map(({ at, block }) => ({ at, text: String(block.text) }));
}
