import { type AskMode, askModes } from "../../agent/turn/ask-reason.ts";
import { oneLine, preview } from "../../prompt/character.ts";
import { listed, Problem, reasonOf } from "../../prompt/problem.ts";
import type { ClientPrompt } from "../client-layer.ts";

/** A block of a prompt, with the fields that are read here. */
type PromptBlock = {
  readonly type: string;
  readonly text?: unknown;
  readonly name?: unknown;
  readonly uri?: unknown;
};

/**
 * Joins a prompt's blocks to one text. A link to a file or a page is named in its place, and the agent may open it; images,
 * sounds and whole files are refused, since nothing would be done with them.
 */
export function promptInput(blocks: readonly PromptBlock[]): string {
  const pieces: string[] = [];
  let last = "";
  let before = "";
  for (const block of blocks) {
    const piece = pieceOf(block);
    if (piece === "") continue;
    // Joins without a paragraph around a link, because editors split a sentence there; two texts in a row are two paragraphs.
    const parted = before !== "text" || block.type !== "text";
    const blank = last === "" || /\s/.test(last.slice(-1)) || /^[\s.,;:!?)]/.test(piece);
    pieces.push(blank ? piece : `${parted ? " " : "\n\n"}${piece}`);
    last = piece;
    before = block.type;
  }
  const input = pieces.join("");
  if (input.trim() !== "") return input;
  throw badMessage("The prompt has no words.", "Send at least one block of text.");
}

function pieceOf({ type, text, name, uri }: PromptBlock): string {
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource_link" && typeof uri === "string") return linkText(typeof name === "string" ? name : "", uri);
  throw badMessage(
    `A block of the prompt is of the type “${oneLine(String(type)).slice(0, 40)}”, and only text and links are read.`,
    "Send blocks of the types “text” and “resource_link”.",
  );
}

/** Names a file by its path, which tools take. */
function linkText(name: string, uri: string): string {
  const place = oneLine(pathOf(uri) ?? uri);
  const called = oneLine(name).trim();
  return called === "" || place === called || place.endsWith(`/${called}`) ? `@${place}` : `@${called} (${place})`;
}

function pathOf(uri: string): string | undefined {
  if (!/^file:\/\//i.test(uri)) return undefined;
  try {
    const { hostname, pathname, hash } = new URL(uri);
    return hostname === "" || hostname === "localhost" ? decodeURIComponent(pathname) + hash : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Fields of a request to open or load a session that may contain a system prompt. Everything in them is as the client wrote it.
 */
export type SystemPromptParams = { readonly systemPrompt?: unknown; readonly _meta?: unknown };

const buzzKey = "buzz.systemPrompt";

/**
 * Reads the system prompt of a request, in the first of three forms that is there: `systemPrompt` with the mode “append”, the
 * text `_meta.systemPrompt.append`, the text `_meta["buzz.systemPrompt"]`. Blank text counts as none. All other fields of `_meta`
 * are ignored.
 */
export function clientPromptOf({ systemPrompt, _meta }: SystemPromptParams): ClientPrompt | undefined {
  const prompt =
    given("systemPrompt", appendedText(systemPrompt)) ??
    given("_meta.systemPrompt.append", textAt(fieldOf(_meta, "systemPrompt"), "append")) ??
    given(`_meta["${buzzKey}"]`, textAt(_meta, buzzKey));
  return prompt;
}

function given(field: string, words: string | undefined): ClientPrompt | undefined {
  return words === undefined || words.trim() === "" ? undefined : { words, field };
}

/** Reads the field `systemPrompt`. A bare text was never part of the protocol, so it is ignored. */
function appendedText(systemPrompt: unknown): string | undefined {
  if (typeof systemPrompt !== "object" || systemPrompt === null) return undefined;
  const { mode, content } = systemPrompt as { mode?: unknown; content?: unknown };
  if (mode !== "append")
    throw badMessage(
      `The systemPrompt has the mode ${shownField(mode)}, and only “append” is offered.`,
      "Send { mode: “append”, content }: the agent's own words stay.",
    );
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.map(blockText).join("\n\n");
}

function blockText(block: unknown): string {
  const text = fieldOf(block, "type") === "text" ? textAt(block, "text") : undefined;
  if (text !== undefined) return text;
  throw badMessage(
    `A block of the systemPrompt is of the type ${shownField(fieldOf(block, "type"))}, and only text is read.`,
    "Send content: [{ type: “text”, text }].",
  );
}

function textAt(value: unknown, name: string): string | undefined {
  const text = fieldOf(value, name);
  return typeof text === "string" ? text : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function shownField(value: unknown): string {
  return typeof value === "string" ? `“${value.slice(0, 40)}”` : value === undefined ? "nothing" : typeof value;
}

const opens = new Set(["session/new", "session/load", "session/resume", "session/fork"]);

/** Removes a bare text from `systemPrompt`, for which the protocol's own reader would refuse the whole request. */
export function withoutBareSystemPrompt<Message>(message: Message): Message {
  const { method, params } = Object(message) as { method?: unknown; params?: unknown };
  if (typeof method !== "string" || !opens.has(method)) return message;
  if (typeof fieldOf(params, "systemPrompt") !== "string") return message;
  const { systemPrompt: _, ...others } = params as Record<string, unknown>;
  return { ...message, params: others };
}

type ModeWords = { readonly name: string; readonly description: string };

const words: Readonly<Record<AskMode, ModeWords>> = {
  never: {
    name: "Do not ask",
    description: "Tools run unasked. Only calls that text of others may have caused are asked about.",
  },
  writes: { name: "Ask before changes", description: "Commands, changes of files and the like are asked about." },
  always: { name: "Always ask", description: "Every call of a tool is asked about." },
};

/** Lists the modes of a session in version 1 of the protocol: before which calls the person is asked. */
export function sessionModes(current: AskMode) {
  return { currentModeId: current, availableModes: askModes.map((id) => ({ id, ...words[id] })) };
}

const configId = "ask";

/** Lists the modes in version 2, where a mode is one of a session's options. */
export function modeOptions(current: AskMode) {
  const options = askModes.map((value) => ({ value, ...words[value] }));
  return [{ configId, name: "Asking", category: "mode", type: "select" as const, currentValue: current, options }];
}

/** Returns the mode that a client wants; throws a Problem where there is none of that name. */
export function modeNamed(mode: unknown): AskMode {
  const known = askModes.find((one) => one === mode);
  if (known) return known;
  throw badMessage(`There is no mode “${shownValue(mode)}”.`, `Send ${listed(askModes)}.`);
}

/** Returns the mode in an option of version 2. */
export function modeInOption({ configId: option, value }: { readonly configId: string; readonly value?: unknown }) {
  if (option === configId) return modeNamed(value);
  throw badMessage(`There is no option “${shownValue(option)}”.`, `Send the option “${configId}”.`);
}

function shownValue(value: unknown): string {
  return preview(oneLine(String(value)), 40);
}

/** Makes the Problem of a client's request that cannot be carried out as it is. */
export function badMessage(message: string, hint: string): Problem {
  return new Problem("bad-client-message", message, hint);
}

/** An error's facts, in JSON-RPC's form. */
type ErrorFacts = {
  readonly code: number;
  readonly message: string;
  readonly data: { readonly code: string; readonly message: string; readonly hint: string };
};

const invalidRequest = -32600;
const invalidParams = -32602;
const internal = -32603;
const notFound = -32002;

/** JSON-RPC codes of the Problems that a client can fix in its request. */
const codes: Readonly<Record<string, number>> = {
  "unknown-session": notFound,
  "session-ended": notFound,
  "session-busy": invalidRequest,
  "bad-client-message": invalidParams,
  "client-prompt-refused": invalidParams,
  "charter-invalid": invalidParams,
  "bad-argument": invalidParams,
  "bad-input": invalidParams,
  "malformed-text": invalidParams,
  "no-such-directory": invalidParams,
  usage: invalidParams,
};

/** Converts an error for the client: the sentence and what to do about it, which editors show as they are. */
export function errorFacts(error: unknown): ErrorFacts {
  const { code, message, hint } =
    error instanceof Problem
      ? error
      : new Problem("internal", reasonOf(error), "This is a fault in Charter, not in the message; please report it.");
  const number = Object.hasOwn(codes, code) ? (codes[code] as number) : internal;
  return { code: number, message: `${message} ${hint}`.trim(), data: { code, message, hint } };
}
