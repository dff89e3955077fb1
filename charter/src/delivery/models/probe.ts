import { isRecord } from "../../prompt/argument.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { Fault, Model, ModelRequest } from "../model.ts";
import type { Receiver } from "../receiver.ts";
import { keyHeaders } from "./ask-window.ts";
import { errorWords, redact } from "./fault.ts";
import { findModel, type ModelSources } from "./find-model.ts";
import { priceHint } from "./model-entry.ts";
import { loadModel } from "./provider.ts";

const defaultTimeoutMs = 120_000;

/** Asks a model one word, like a turn would, and reports what is wrong with its key, name, window or address. */
export async function probeModel(name: string, options: ProbeOptions): Promise<ProbeFinding[]> {
  const { withinMs = defaultTimeoutMs } = options;
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
  // Zero counts as missing: packages write 0 where the server gave no count.
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

/**
 * Makes a request like that of a turn: it ends in two messages in the user's role, where the receiver takes its state that way.
 */
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
  const [set, serverWindow] = [receiver.window, askWindow ? await askWindow({ signal }) : null];
  const tokens = (count: number) => `${count.toLocaleString("en-US")} tokens`;
  if (set !== null && serverWindow !== null && serverWindow < set)
    return {
      what: `“${name}”: its window is set to ${tokens(set)}, and its server takes ${tokens(serverWindow)}.`,
      fine: false,
      hint: `Set window: ${serverWindow}, or have the server load the model with more.`,
    };
  const window = set ?? serverWindow;
  if (window !== null)
    return {
      what: `“${name}” takes ${tokens(window)}, as ${set === null ? "its server tells" : "is set or known of it"}.`,
      fine: true,
      ...(window < smallWindowTokens
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

const smallWindowTokens = 8192;
/** Hint for a server that may be Ollama: it is recognised only at its usual port. */
const ollamaHint = ' If it is Ollama, set api: "ollama": it cuts what is too long without a word.';

function priceFinding({ name, price }: Receiver): ProbeFinding[] {
  const what = `“${name}”: its price is not known, so what it costs is not counted.`;
  return price ? [] : [{ what, fine: true, hint: priceHint(name) }];
}

/** A finding about a model, and what to do if it is not fine. */
type ProbeFinding = { readonly what: string; readonly fine: boolean; readonly hint?: string };

type ProbeOptions = ModelSources & {
  readonly fetch?: typeof fetch;
  /** Maximum milliseconds for an answer: a local model is loaded first. */
  readonly withinMs?: number;
  /**
   * Shows that a limit in dollars applies: then its usage must be counted. Whether its price is known is reported with the limit.
   */
  readonly limited?: boolean;
  /** Permission to send a picture; with `false` the model is asked only one word. */
  readonly pictures?: boolean;
};

/** Facts that explain a fault: how the model is reached, and further questions to its server. */
type ProbedServer = {
  readonly name: string;
  readonly model: string;
  readonly receiver: Receiver;
  readonly address: string;
  /** Names of the settings of its address and its key, as in a sentence. */
  readonly base: string;
  readonly keyFrom: string;
  readonly hasKey: boolean;
  readonly secrets: readonly string[];
  readonly usualPath: string;
  readonly nameHint: string;
  /** Returns the models the server lists. */
  readonly names: () => Promise<readonly string[]>;
  /** Returns true if there is a list of models at an address. */
  readonly isApi: (address: string) => Promise<boolean>;
};

/** Describes how a model is reached, to explain its faults. Undefined for a model that was made elsewhere. */
function serverOf(name: string, options: ProbeOptions, { receiver, address = "" }: Model): ProbedServer | undefined {
  const model = findModel(name, options);
  if (!model) return undefined;
  const { headers, apiKey, secrets } = model.credentials(options.env);
  const isOwn = options.models !== undefined && Object.hasOwn(options.models, name);
  const [variable, , usualPath] = model.provider.address;
  const authorization = apiKey === undefined ? {} : keyHeaders(model.api, apiKey);
  const list = async (at: string): Promise<readonly string[] | undefined> => {
    try {
      const response = await (options.fetch ?? fetch)(`${at}/models`, {
        headers: { ...authorization, ...headers },
        redirect: "manual",
        signal: AbortSignal.timeout(5000),
      });
      if (!response.ok) return undefined;
      const listed: unknown = await response.json();
      if (!isRecord(listed)) return undefined;
      const all = Array.isArray(listed.data) ? listed.data : Array.isArray(listed.models) ? listed.models : undefined;
      return all?.filter(isRecord).map((one) => String(one.id ?? one.name).replace(/^models\//, ""));
    } catch {
      return undefined;
    }
  };
  const own = `“model” of the model “${name}”`;
  const nameHint =
    model.api === "ollama"
      ? `Fetch it with ollama pull ${model.model}, or mend ${isOwn ? own : "the name"}.`
      : model.api === "azure"
        ? `Azure knows models by the names of your deployments: mend ${isOwn ? own : "the name"}.`
        : `Fix ${isOwn ? own : "the name of the model"}.`;
  return {
    ...{ name, model: model.model, receiver, address, secrets, usualPath, nameHint },
    base: isOwn ? `“base” of the model “${name}”` : variable,
    keyFrom: model.keyFrom,
    hasKey: secrets.length > 0,
    names: async () => (await list(address)) ?? [],
    isApi: async (at) => (await list(at)) !== undefined,
  };
}

/** Explains why a model did not answer, and what to do about it, from its server's response. */
async function probeFault(
  server: ProbedServer,
  fault: Fault,
  response: WatchedResponse | undefined,
): Promise<ProbeFinding> {
  const { name, model, address, base, keyFrom, hasKey, secrets } = server;
  const bad = (what: string, hint: string): ProbeFinding => ({ fine: false, what: `“${name}”: ${what}`, hint });
  if (fault.code === "model-aborted")
    return bad(`${address} did not answer in time.`, "Is the server busy, or still loading the model? Try again.");
  if (!response) return bad(fault.message, "See docs/models.md.");
  const { status = 0, type = "", words = "", url } = response;
  if (response.error !== undefined) return bad(...unreachable(response.error, address, base));
  const errors = errorWords(words);
  const text = redact(errors.texts.join(" "), secrets).slice(0, 300);
  // Includes the fault: some servers open a stream before they complain.
  const about = [text, ...errors.codes, fault.message].join("\n");
  const says = text === "" ? "" : `: ${text}`;
  if (/text\/html/.test(type) || status < 200 || (status >= 300 && status < 400))
    return bad(
      `what answers at ${shown(url)} is a web page or another server, not an API of models (${status}).`,
      await otherPlace(server),
    );
  if (fault.tooLong)
    return bad(`even a short request is too long for it${says}`, `Load the model with a larger context.`);
  if (status === 401 || (status === 403 && !isAboutModel(about)) || isAboutKey.test(about))
    return hasKey
      ? bad(
          `the server refuses the key (${status})${says}`,
          `Check ${keyFrom}: is it the key of this server, whole and not withdrawn?`,
        )
      : bad(`the server wants a key, and none is set (${status})${says}`, `Set ${keyFrom}, as in key: "$MY_KEY".`);
  if (isAboutRoles.test(about))
    return bad(
      `its chat template takes only roles that alternate (${status})${says}`,
      `Set roles: "alternate" for it, in charter.config.ts or models.json.`,
    );
  if (/system role (?:is )?not supported/i.test(about))
    return bad(
      `its chat template takes no system message (${status})${says}`,
      "Give the server another chat template (--chat-template), or take another model: the charter is in the system prompt.",
    );
  if (isAboutModel(about)) {
    const names = await server.names();
    const has =
      names.length === 0
        ? ""
        : ` It has ${names
            .slice(0, 8)
            .map((one) => `“${one}”`)
            .join(", ")}${names.length > 8 ? " …" : ""}.`;
    return bad(`the server has no model “${model}” (${status})${ended(says)}${has}`, server.nameHint);
  }
  if (status === 404 || status === 405)
    return bad(`there is no API of models at ${shown(url)} (${status}).`, await otherPlace(server));
  if (status === 402 || /insufficient_quota|credit|billing/i.test(words))
    return bad(`there is no credit left (${status})${says}`, "See the account the key belongs to.");
  if (fault.code === "model-cut")
    return bad(
      "the answer broke off before its end.",
      "Is something between you and the server that ends long answers? Try again.",
    );
  if (fault.code === "model-busy") return bad(`the server is busy (${status})${says}`, "Try again later.");
  const setting = settingNamed(server, about);
  const hint = setting
    ? `It may be “${setting}”, which is set for it: change it, or take it out.`
    : "The server's own words say what it wants: docs/models.md.";
  return bad(`the server ${status >= 500 ? "failed" : "refuses the request"} (${status})${says}`, hint);
}

const isAboutKey =
  /api[ _-]?key[^.]{0,20}(?:not valid|invalid|incorrect)|(?:invalid|incorrect|missing|no)[^.]{0,12}api[ _-]?key|invalid x-api-key/i;
const isAboutRoles =
  /roles must alternate|must alternate|alternate user\/assistant|only user and assistant|after the optional system message/i;

function isAboutModel(message: string): boolean {
  return /model[^.]{0,120}(?:not found|not exist|does not exist|unknown|not available|not have access)|not a valid model|unknown model|no such model|model identifier|deployment[^.]{0,60}not exist|model_not_found|^model: /im.test(
    message,
  );
}

/** Ends a sentence, because another may follow it. */
function ended(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** Returns the setting of the entry that the server complains about. */
function settingNamed({ receiver }: ProbedServer, message: string): string | undefined {
  if (receiver.reasoning !== undefined && /reason|think|effort/i.test(message)) return "reasoning";
  if (receiver.output !== undefined && /max_?(?:completion_|output_)?tokens|output/i.test(message)) return "output";
  return undefined;
}

function unreachable(error: unknown, address: string, base: string): [what: string, hint: string] {
  const code = codeOf(error);
  const { hostname, origin } = new URL(address);
  if (code === "ECONNREFUSED") return [`nothing listens at ${origin}.`, `Start the server, or mend ${base}.`];
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return [`there is no host “${hostname}”.`, `Fix ${base}.`];
  if (/WRONG_VERSION|EPROTO|SSL/.test(code))
    return [`${origin} does not speak https.`, `Fix ${base}: http:// in place of https://.`];
  if (/CERT|SIGNED|VERIFY/.test(code))
    return [
      `the certificate of ${origin} is not trusted (${code}).`,
      "Give NODE_EXTRA_CA_CERTS the file of who signed it.",
    ];
  return [`${origin} cannot be reached: ${reasonOf(deepest(error))}`, `Is ${base} right, and the network there?`];
}

function deepest(error: unknown): unknown {
  const cause = (Object(error) as { readonly cause?: unknown }).cause;
  return cause === undefined ? error : deepest(cause);
}

function codeOf(error: unknown): string {
  const { code, cause, errors } = Object(error) as { code?: unknown; cause?: unknown; errors?: readonly unknown[] };
  if (typeof code === "string") return code;
  return cause === undefined ? (errors?.[0] === undefined ? "" : codeOf(errors[0])) : codeOf(cause);
}

/** Suggests another address for its API: the usual path, if something answers there. */
async function otherPlace({ base, usualPath, address, isApi }: ProbedServer): Promise<string> {
  const usualAddress = `${new URL(address).origin}${usualPath}`;
  if (usualAddress !== address && (await isApi(usualAddress)))
    return `Its API is at ${usualAddress}: set ${base} to that.`;
  return `Check ${base}: it ends where the protocol's paths begin, as in http://localhost:8000/v1.`;
}

function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** A picture of stripes, 64 pixels wide and high: some models take no smaller ones. */
const picture = {
  data: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAEklEQVR42mPogAKGUcYog3QGABQuEBAy5LrwAAAAAElFTkSuQmCC",
  digest: "39efd9b3a5743743adfafa136f56d9d6251f63681eed136953c94c5057f3d058",
  mediaType: "image/png",
  bytes: 75,
  width: 64,
  height: 64,
};

/** Tries whether a model that may take pictures does. One that does not gets a description in words, so that is no fault. */
async function probeAttachment(name: string, model: Model, signal: AbortSignal): Promise<ProbeFinding[]> {
  if (!model.receiver.attachments?.includes("image")) return [];
  const text = "Say OK.";
  const request = {
    tools: [],
    system: [{ text: "Answer with one word." }],
    messages: [{ role: "user" as const, text, attachments: [picture] }],
  };
  const { fault } = await model.ask(request, { signal });
  if (!fault) return [{ what: `“${name}” takes pictures.`, fine: true }];
  if (!fault.refusedKind) return [];
  return [
    {
      what: `“${name}” takes no pictures: it is told in words what was sent.`,
      fine: true,
      hint: "Set attachments: [] for it, and no picture is tried first.",
    },
  ];
}

/** The response to a request: its head, and its text where it is no stream; or the error in place of one. */
type WatchedResponse = {
  readonly url: string;
  readonly status?: number;
  readonly type?: string;
  readonly words?: string;
  readonly error?: unknown;
};

/** Makes a `fetch` that remembers the last response. A stream is left to the caller. */
function watchedFetch(given: typeof fetch = fetch): {
  readonly fetch: typeof fetch;
  readonly last: () => WatchedResponse | undefined;
} {
  let last: WatchedResponse | undefined;
  return {
    last: () => last,
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      try {
        const response = await given(input, init);
        const type = response.headers.get("content-type") ?? "";
        const isAnswer = response.ok && /event-stream|json/.test(type);
        const words = isAnswer ? "" : (await response.clone().text()).slice(0, 4000);
        last = { url, status: response.status, type, words };
        return response;
      } catch (error) {
        last = { url, error };
        throw error;
      }
    },
  };
}
