import { isRecord, isText } from "../../prompt/argument.ts";
import { grouped } from "../../prompt/problem.ts";
import { sha256 } from "../../store/texts/packing.ts";

/** A request for a chat completion, as OpenAI's clients send it, read into what a turn needs. */
export type ChatRequest = {
  readonly agent: string;
  /** Says that it is for the agent without session, tools and memory: `ada:once`. */
  readonly isOnce: boolean;
  /** The client's system messages. */
  readonly system: string | undefined;
  /** What the client shows of the conversation, up to what is said now. */
  readonly before: readonly Exchange[];
  readonly input: readonly ChatPart[];
  /** Digests of all that the client shows, up to the input. */
  readonly shown: Shown;
  /** Calls of the client's own tools since the input, answer by answer, with their results. */
  readonly rounds: readonly Round[];
  readonly tools: readonly ClientTool[];
  /** JSON Schema of the answer. */
  readonly output: Readonly<Record<string, unknown>> | undefined;
  /** Maximum number of tokens of the answer. */
  readonly answerTokens: number | undefined;
  readonly streams: boolean;
  readonly tellsUsage: boolean;
};

/** A part of an input: text, or a file as base64. */
export type ChatPart =
  | { readonly text: string }
  | { readonly file: string; readonly mediaType?: string; readonly name?: string };

/** A message of the user, and what the client shows after it. */
export type Exchange = {
  readonly asked: string;
  /** The answer, as answers are compared; empty: none is shown. */
  readonly answer: string;
  /** All of it, line by line, as a model is told it. */
  readonly told: string;
  /** Says that more is shown than what the user typed: an answer, a file, or calls of tools. */
  readonly isForeign: boolean;
  /** Digests of all up to the message. */
  readonly shown: Shown;
};

/** Digests of the same: as turns record it, and to the letter, as they did before. */
type Shown = readonly [plain: string, exact: string];

/** Calls that the client ran, and their results by the calls' ids. */
export type Round = {
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly results: ReadonlyMap<string, string>;
};

/** A tool that the client runs itself. */
export type ClientTool = {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
};

type InvalidField = { readonly at: string; readonly reason: string };

/** Reads a request. Adds to `invalid` whatever cannot be obeyed: nothing is left out silently. */
export function readChatRequest(body: unknown, invalid: InvalidField[]): ChatRequest | undefined {
  const wrong = (at: string, reason: string) => void invalid.push({ at, reason });
  if (!isRecord(body)) return wrong("body", "must be an object");
  const isOnce = isText(body.model) && body.model.endsWith(onceSuffix);
  for (const [name, value] of Object.entries(body)) {
    const known = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (known === undefined) wrong(name, "is not known here");
    else if (value !== null && !known.fits(value, isOnce)) wrong(name, known.wants);
  }
  for (const name of ["model", "messages"]) if ((body[name] ?? null) === null) wrong(name, "is missing");
  if (!Array.isArray(body.messages)) return undefined;
  const messages = body.messages.map((one, index) => messageOf(one, `messages[${index}]`, wrong));
  const tools = toolsOf(body, wrong);
  const output = outputOf(body.response_format, wrong);
  if (invalid.length > 0) return undefined;
  const said = conversationOf(messages as readonly ChatMessage[], wrong);
  if (!said || invalid.length > 0) return undefined;
  const model = body.model as string;
  const streamOptions = body.stream_options as { readonly include_usage?: unknown } | null | undefined;
  return {
    ...said,
    ...{ agent: isOnce ? model.slice(0, -onceSuffix.length) : model, isOnce, tools, output },
    answerTokens: (body.max_completion_tokens ?? body.max_tokens ?? undefined) as number | undefined,
    ...{ streams: body.stream === true, tellsUsage: streamOptions?.include_usage === true },
    shown: isOnce ? (said.shown.map((one) => sha256(`once ${one}`)) as unknown as Shown) : said.shown,
  };
}

const onceSuffix = ":once";

type Parameter = { readonly fits: (value: unknown, isOnce: boolean) => boolean; readonly wants: string };

const only = (...values: readonly unknown[]): Parameter => ({
  fits: (value) => values.includes(value),
  wants: `cannot be obeyed: the agent's own settings say it. Leave it out${values.length > 0 ? `, or send ${JSON.stringify(values[0])}` : ""}`,
});
const empty: Parameter = { ...only(), fits: (value) => Object.keys(Object(value)).length === 0 };
/** Parameters that tell the provider of a model something, and change no answer. They are not read. */
const unread: Parameter = { fits: () => true, wants: "" };
/** Pages send a limit with what they ask once. In a turn with tools it would cut off calls. */
const answerLimit: Parameter = {
  fits: (value, isOnce) => isOnce && Number.isSafeInteger(value) && Number(value) > 0,
  wants:
    "is a whole number of tokens, and obeyed where the agent is asked once (“ada:once”): else its own settings say it. Leave it out",
};
const flag: Parameter = { fits: (value) => typeof value === "boolean", wants: "must be true or false" };

/** All parameters that are known: obeyed, not read, or taken only where they ask for what is so anyway. */
const parameters: Readonly<Record<string, Parameter>> = {
  model: { fits: (value) => isText(value) && value.length <= 300, wants: "must be the name of an agent" },
  messages: { fits: (value) => Array.isArray(value) && value.length > 0, wants: "must be a list of messages" },
  stream: flag,
  stream_options: {
    fits: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === "boolean"),
    wants: "must be an object, as in { include_usage: true }",
  },
  tools: { fits: Array.isArray, wants: "must be a list of tools" },
  tool_choice: only("auto", "none"),
  response_format: { fits: isRecord, wants: "must be an object" },
  parallel_tool_calls: only(true),
  ...{ temperature: only(1), top_p: only(1), n: only(1), presence_penalty: only(0), frequency_penalty: only(0) },
  ...{ logprobs: only(false), top_logprobs: only(0), store: only(false), verbosity: only("medium") },
  ...{ service_tier: only("auto", "default"), logit_bias: empty, stop: empty, functions: empty },
  modalities: { ...only(["text"]), fits: (value) => Array.isArray(value) && value.join() === "text" },
  ...{ max_tokens: answerLimit, max_completion_tokens: answerLimit, seed: only(), reasoning_effort: only() },
  ...{ function_call: only("auto", "none"), prediction: only(), audio: only(), web_search_options: only() },
  ...{ user: unread, safety_identifier: unread, prompt_cache_key: unread, metadata: unread },
};

type Wrong = (at: string, reason: string) => void;

/** A message, as far as it is read. */
type ChatMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly parts: readonly ChatPart[] }
  | { readonly role: "assistant"; readonly text: string; readonly calls: Round["calls"] }
  | { readonly role: "tool"; readonly id: string; readonly text: string };

/** The role of answers. */
const answers = { role: "assistant" } as const;

/** Fields of messages. The last ones come back from clients that keep an answer whole; they say nothing new. */
const messageFields = new Set([
  ...["role", "content", "name", "tool_calls", "tool_call_id", "function_call"],
  ...["refusal", "annotations", "audio", "parsed", "reasoning", "reasoning_content"],
]);

function messageOf(given: unknown, at: string, wrong: Wrong): ChatMessage | undefined {
  if (!isRecord(given)) return void wrong(at, "must be an object");
  for (const field of Object.keys(given)) if (!messageFields.has(field)) wrong(`${at}.${field}`, "is not known here");
  const { role, content, tool_calls: calls, tool_call_id: id } = given;
  const text = () => textOf(content, `${at}.content`, wrong);
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", text: text() };
    case "user":
      return { role, parts: partsOf(content, `${at}.content`, wrong) };
    case answers.role:
      return {
        ...answers,
        text: content === undefined || content === null ? "" : text(),
        calls: callsOf(calls, at, wrong),
      };
    case "tool":
      if (!isText(id)) wrong(`${at}.tool_call_id`, "must be the id of a call");
      return { role, id: isText(id) ? id : "", text: text() };
    default:
      return void wrong(`${at}.role`, "must be system, developer, user, assistant or tool");
  }
}

function textOf(content: unknown, at: string, wrong: Wrong): string {
  if (typeof content === "string") return content;
  const isTextPart = (one: unknown) => isRecord(one) && one.type === "text" && typeof one.text === "string";
  if (Array.isArray(content) && content.every(isTextPart)) return content.map(({ text }) => text).join("\n");
  wrong(at, "must be text, or parts of text");
  return "";
}

function partsOf(content: unknown, at: string, wrong: Wrong): ChatPart[] {
  if (typeof content === "string") return [{ text: content }];
  if (!Array.isArray(content) || content.length === 0) {
    wrong(at, "must be text, or a list of parts");
    return [];
  }
  return content.flatMap((one, index) => partOf(one, `${at}[${index}]`, wrong) ?? []);
}

function partOf(part: unknown, at: string, wrong: Wrong): ChatPart | undefined {
  const { type, text, image_url: image, file } = Object(part) as Readonly<Record<string, unknown>>;
  if (type === "text" && typeof text === "string") return { text };
  if (type === "image_url") return fileOf(Object(image).url, `${at}.image_url.url`, wrong);
  if (type !== "file") return void wrong(`${at}.type`, "must be text, image_url or file");
  const { file_data: data, filename } = Object(file) as Readonly<Record<string, unknown>>;
  return fileOf(data, `${at}.file.file_data`, wrong, typeof filename === "string" ? filename : undefined);
}

/** Reads a data URL. Nothing is fetched from elsewhere. */
function fileOf(url: unknown, at: string, wrong: Wrong, name?: string): ChatPart | undefined {
  const [, type = "", file] =
    /^data:([^;,]*)(?:;[^;,]*)*;base64,((?:[\w+/-]{4})*(?:[\w+/-]{2}==|[\w+/-]{3}=)?)$/.exec(
      typeof url === "string" ? url : "",
    ) ?? [];
  if (file === undefined) return void wrong(at, "must be a data URL, “data:image/png;base64,…”: nothing is fetched");
  return { file, ...(type === "" ? {} : { mediaType: type }), ...(name === undefined ? {} : { name }) };
}

function callsOf(given: unknown, at: string, wrong: Wrong): Round["calls"] {
  if (given === undefined || given === null) return [];
  const calls = (Array.isArray(given) ? given : [given]).map((one) => {
    const { id, function: called } = Object(one) as Readonly<Record<string, unknown>>;
    const { name, arguments: input } = Object(called) as Readonly<Record<string, unknown>>;
    return isText(id) && isText(name) && typeof input === "string" ? { id, name, input } : undefined;
  });
  if (calls.some((one) => one === undefined)) wrong(`${at}.tool_calls`, "must be a list of calls of functions");
  return calls.filter((one) => one !== undefined);
}

const namePattern = /^[A-Za-z][\w-]{0,63}$/;
const maxTools = 128;
/** Most characters of a tool, and of all of them: each is read for what gives orders before the model is asked. */
const [maxToolChars, maxToolsChars] = [65_536, 262_144];

function toolsOf({ tools: given, tool_choice: choice }: Readonly<Record<string, unknown>>, wrong: Wrong): ClientTool[] {
  if (!Array.isArray(given)) return [];
  if (given.length > maxTools) wrong("tools", `must be ${maxTools} at most`);
  const sizes = given.slice(0, maxTools).map((one) => JSON.stringify(one).length);
  if (sizes.some((size) => size > maxToolChars))
    wrong("tools", `must have ${grouped(maxToolChars)} characters each at most`);
  if (sizes.reduce((sum, size) => sum + size, 0) > maxToolsChars)
    wrong("tools", `must have ${grouped(maxToolsChars)} characters together at most`);
  const tools = given.slice(0, maxTools).flatMap((one, index): ClientTool[] => {
    const { type, function: called } = Object(one) as Readonly<Record<string, unknown>>;
    const { name, description, parameters = anyObject } = Object(called) as Readonly<Record<string, unknown>>;
    const at = `tools[${index}]`;
    if (type !== "function") wrong(`${at}.type`, "must be function");
    else if (typeof name !== "string" || !namePattern.test(name))
      wrong(`${at}.function.name`, "must be 1 to 64 letters, digits, _ and -, beginning with a letter");
    else if (!isRecord(parameters) || (parameters.type ?? "object") !== "object")
      wrong(`${at}.function.parameters`, "must be the JSON Schema of an object");
    else
      return [
        { name, description: isText(description) ? description : name, schema: { type: "object", ...parameters } },
      ];
    return [];
  });
  const names = new Set<string>();
  const twice = tools.find(({ name }) => names.size === names.add(name).size);
  if (twice) wrong("tools", `must have different names; “${twice.name}” comes twice`);
  return choice === "none" ? [] : tools;
}

const anyObject = { type: "object", properties: {} };

function outputOf(format: unknown, wrong: Wrong): ChatRequest["output"] {
  if (!isRecord(format) || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "object" };
  const { schema } = Object(format.json_schema) as { readonly schema?: unknown };
  if (format.type === "json_schema" && isRecord(schema)) return schema;
  wrong("response_format", "must be text, json_object, or json_schema with a schema");
  return undefined;
}

/**
 * Reads messages as exchanges. Those with calls, and results, belong to the turn between; system messages are none of what was
 * said, and change with the date on some pages.
 */
function conversationOf(
  messages: readonly ChatMessage[],
  wrong: Wrong,
): Pick<ChatRequest, "system" | "before" | "input" | "rounds" | "shown"> | undefined {
  const system = messages.flatMap((one) => (one.role === "system" && one.text.trim() !== "" ? [one.text] : []));
  const said = messages.filter((one) => one.role !== "system");
  const last = said.findLastIndex(({ role }) => role === "user");
  const input = said[last];
  if (input?.role !== "user") return void wrong("messages", "must have a message of the user");
  const rounds = roundsOf(said.slice(last + 1), wrong);
  const before: Exchange[] = [];
  let shown: Shown = ["", ""];
  let answers: { readonly exact: string; readonly plain: string }[] = [];
  const digestsOf = (parts: readonly ChatPart[]) => {
    const plainParts = parts.map((part) => ("text" in part ? { text: plainWords(part.text) } : part));
    const plainAnswers = answers.flatMap((one) => (one.plain === "" ? [] : [one.plain]));
    const exactAnswers = answers.map((one) => one.exact);
    const [plain, exact] = shown;
    shown = [
      sha256(JSON.stringify([plain, plainAnswers, plainParts])),
      sha256(JSON.stringify([exact, exactAnswers, parts])),
    ];
    answers = [];
    return shown;
  };
  for (const one of said.slice(0, last)) {
    if (one.role === "user") {
      const asked = wordsOf(one.parts);
      const isForeign = one.parts.some((part) => "file" in part);
      before.push({ asked, answer: "", told: `user: ${asked}`, isForeign, shown: digestsOf(one.parts) });
      continue;
    }
    const open = before.pop() ?? { asked: "", answer: "", told: "", isForeign: false, shown };
    const plain = plainAnswer(one.text);
    before.push(withMessage(open, one, plain));
    if (one.role === "assistant" && one.calls.length === 0) answers.push({ exact: one.text.trim(), plain });
  }
  return {
    ...{ before, input: input.parts, rounds, shown: digestsOf(input.parts) },
    system: system.length === 0 ? undefined : system.join("\n\n"),
  };
}

/** Adds a message to the exchange that it belongs to. An empty answer is none. */
function withMessage(
  open: Exchange,
  one: Exclude<ChatMessage, { readonly role: "system" | "user" }>,
  words: string,
): Exchange {
  const calls = one.role === "tool" ? [] : one.calls;
  const lines = calls.map(({ name, input }) => `\nassistant calls ${name}: ${input}`);
  if (words !== "") lines.unshift(`\n${one.role}: ${one.text}`);
  if (lines.length === 0) return open;
  const told = open.told + lines.join("");
  if (one.role === "tool" || calls.length > 0) return { ...open, told, isForeign: true };
  return { ...open, told, isForeign: true, answer: open.answer === "" ? words : `${open.answer} ${words}` };
}

/** A text as it is compared: pages change line ends and white space. Single spaces, which are most, stay untouched. */
function plainWords(text: string): string {
  return text.replace(/[^\S ]\s*| \s+/g, " ").trim();
}

/** An answer as it is compared: pages add blocks in which they show thoughts and tools, and take out such blocks. */
export function plainAnswer(text: string): string {
  const ended = text.split(/<\/details>/i);
  const rest = ended.pop() as string;
  // Each block goes up to the first end, as pages read it, so every piece is looked through once.
  const kept = ended.map((piece) => piece.replace(/<details\b[^<>]*>[\s\S]*/i, ""));
  return plainWords([...kept, rest].join(""));
}

export function wordsOf(parts: readonly ChatPart[]): string {
  return parts.flatMap((part) => ("text" in part ? [part.text] : [`(${part.name ?? "a file"})`])).join("\n");
}

function roundsOf(messages: readonly ChatMessage[], wrong: Wrong): Round[] {
  const rounds: { calls: Round["calls"]; results: Map<string, string> }[] = [];
  let ids = new Set<string>();
  for (const one of messages) {
    if (one.role === "assistant" && one.calls.length > 0) {
      rounds.push({ calls: one.calls, results: new Map() });
      ids = new Set(one.calls.map(({ id }) => id));
    } else if (one.role === "tool") {
      if (ids.has(one.id)) rounds.at(-1)?.results.set(one.id, one.text);
      else wrong("messages", `must have the call “${one.id.slice(0, 100)}” before its result`);
    } else wrong("messages", "must end with what the user says, or with results of calls");
  }
  const open = rounds.flatMap(({ calls, results }) => calls.filter(({ id }) => !results.has(id)));
  if (open.length > 0) wrong("messages", `must have a result of each call; “${open[0]?.id.slice(0, 100)}” has none`);
  return rounds;
}
