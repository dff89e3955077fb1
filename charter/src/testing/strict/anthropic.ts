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
  /** What becomes of thinking that does not fit, where the request does not say; an old account shows it to the model as it is. */
  readonly mismatch?: "error" | "drop" | "show";
};

/** A thinking block that does not fit: it is left out of what the model reads, or read all the same. */
export type UnfitThought = {
  readonly type: "thinking_dropped" | "thinking_mismatch_allowed";
  readonly path: string;
  readonly reason: "prefix_binding_mismatch" | "model_binding_mismatch";
};

const bindingBeta = "thinking-binding-controls-2026-08-01";

/** Returns true for a model that binds its thinking to what stands before it. */
function bindsThinking(model: string): boolean {
  return /claude-(?:(?:fable|mythos)-5-[1-9]|(?:opus|sonnet|haiku)-5-[5-9])/.test(model);
}

/** Returns true for a model that takes system messages among the others. No page says so of Haiku 5.5. */
function takesSystemMessages(model: string): boolean {
  return /claude-(?:fable-5|mythos-5|opus-5|opus-4-8|sonnet-5-5)/.test(model);
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

/** Returns what becomes of thinking that does not fit: as the request says, else as the account has it. */
function behaviorOf(body: AnthropicBody, { mismatch = "error" }: AnthropicOptions): "error" | "drop" | "show" {
  const asked = Object(body.thinking?.block_binding).prefix_mismatch_behavior;
  if (asked !== undefined) return asked === "drop_block" ? "drop" : "error";
  return mismatch === "show" && /(?:fable|mythos)-5-2/.test(body.model) ? "error" : mismatch;
}

/** What becomes of the thinking in a request: which is read, which does not fit, and the fault if one is refused. */
export function thinkingIn(body: AnthropicBody, memory: AnthropicMemory, options: AnthropicOptions = {}) {
  const behavior = behaviorOf(body, options);
  const blocks = body.messages.flatMap(blocksOf);
  const entries = entriesOf(body, blocks);
  const read: { readonly signature: string; readonly model: string }[] = [];
  const unfit: UnfitThought[] = [];
  const dropped = new Set<string>();
  let passed = 2;
  for (const { at: path, block } of blocks) {
    if (!isThinking(block)) {
      passed++;
      continue;
    }
    const signature = signatureOf(block);
    const thought = memory.thoughts.get(signature);
    if (!thought)
      return { read, unfit, fault: fault("prefix", path, `${path}: Invalid \`signature\` in \`thinking\` block`) };
    const { model, prefix, after } = thought;
    if (!readsThinkingOf(body.model, model)) {
      unfit.push({ type: "thinking_dropped", path, reason: "model_binding_mismatch" });
      continue;
    }
    const before = read.findLast((one) => readsThinkingOf(model, one.model))?.signature;
    const gap = before === undefined ? dropped.has(after ?? "") : before !== after;
    const other = entries.slice(0, passed).find(({ text }, index) => text !== prefix[index]);
    const fits = !bindsThinking(body.model) || !(gap || other || passed !== prefix.length);
    if (!fits && behavior === "error") return { read, unfit, fault: bindingFault(path, other?.at, options) };
    if (!fits)
      unfit.push({
        type: behavior === "drop" ? "thinking_dropped" : "thinking_mismatch_allowed",
        ...{ path, reason: "prefix_binding_mismatch" },
      });
    if (fits || behavior === "show") read.push({ signature, model });
    else dropped.add(signature);
  }
  return { read, unfit, fault: undefined };
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

/** Returns true if a model can read what another one thought: its own, that of older ones, and of few beside it. */
function readsThinkingOf(reader: string, writer: string): boolean {
  if (reader === writer) return true;
  const [one, other] = [familyOf(reader), familyOf(writer)];
  if (isLargest(one)) return other.version <= one.version || other.name === "opus";
  if (isLargest(other)) return false;
  if (other.version < 50) return other.version < one.version;
  if (one.version !== 55) return false;
  return other.version === 50
    ? one.name === "opus" || one.name === other.name
    : one.name === "opus" && other.name === "sonnet";
}

type Family = { readonly name: string; readonly version: number };

function isLargest({ name }: Family): boolean {
  return name === "fable" || name === "mythos";
}

function familyOf(model: string): Family {
  const [, name = "", major = "0", minor = "0"] = /claude-([a-z]+)-(\d+)(?:-(\d)(?!\d))?/.exec(model) ?? [];
  return { name, version: Number(major) * 10 + Number(minor) };
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
