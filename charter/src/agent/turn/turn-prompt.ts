import type { Delivery } from "../../delivery/deliver.ts";
import { offerTokens } from "../../delivery/prediction.ts";
import { assemble } from "../../prompt/assemble.ts";
import { type Charter, sectionMutability, sectionStability } from "../../prompt/charter.ts";
import type { Edition } from "../../prompt/edition.ts";
import { gather, withStanding } from "../../prompt/gather.ts";
import type { Layer } from "../../prompt/layer.ts";
import type { Notice } from "../../prompt/notice.ts";
import { counted, grouped } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Reading } from "../../prompt/reading.ts";
import { boundsOf, type Room } from "../../prompt/room.ts";
import type { Section } from "../../prompt/section.ts";
import type { Readings, SourceContext, Standing } from "../../prompt/source.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import { sourceTimeout } from "../timeout.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { foreignText } from "./asking/ask-reason.ts";
import { addNotice, enterPhase, type TurnState, taint } from "./turn-state.ts";
import { offersNow } from "./window/read-result.ts";
import { requestLimit } from "./window/room.ts";

/** Sections with sources and a standing text that has changed since they were read, where they could be read. */
function wasAmended(
  { readings, standing: before }: TurnState["words"],
  standing: SourceContext["standing"],
): (section: Section, layer: Layer) => boolean {
  const revision = (one: Standing | undefined) => (one && "revision" in one ? one.revision : 0);
  const shown = (reading: Reading | undefined) =>
    reading?.status === "present" ? Math.max(0, ...reading.parts.map((part) => part.revision ?? 0)) : 0;
  return (section, layer) =>
    section.sources !== undefined &&
    typeof sectionMutability(section, layer) === "object" &&
    sectionStability(section) !== "state" &&
    readings[section.name]?.status !== "unavailable" &&
    revision(standing[section.name]) > Math.max(revision(before[section.name]), shown(readings[section.name]));
}

/**
 * The prompt of the step to come. The first step of a turn reads every source; those after it read what moves within a
 * turn: the standing words, which the turn itself may have amended, and the state.
 */
export async function turnPrompt(deps: AgentDeps, running: Omit<TurnState, "bill">): Promise<Prompt> {
  const { declaration, scope, channel, zone, context, toolset, tokenizer, emit } = running.who;
  const { callsByTool, callCount, notices } = running.progress;
  const { charter, fault } = declaration;
  enterPhase(running, "LoadingContext");
  const { store } = deps;
  const { limits } = running.terms;
  const standing = await store.standings.read(charter, scope, fault);
  const turn: SourceContext = {
    agent: scope.agent,
    now: deps.clock().toISOString(),
    tools: toolset.lines(callsByTool),
    phase: "Inferring",
    callsLeft: Math.max(0, limits.toolCalls - callCount),
    standing,
    ...(scope.user === undefined ? {} : { user: scope.user }),
    ...(channel === undefined ? {} : { channel }),
    ...(zone === undefined ? {} : { zone }),
    ...(context === undefined ? {} : { context }),
  };
  const wait = sourceTimeout(limits.sourceSeconds, running.who.signal);
  running.words.readings =
    running.words.prompt === undefined
      ? await gather(charter, turn, wait)
      : {
          ...withStanding(charter, running.words.readings, standing),
          ...(await gather(charter, turn, wait, (section) => sectionStability(section) === "state")),
          ...(await gather(charter, { ...turn, again: true }, wait, wasAmended(running.words, standing))),
        };
  running.words.standing = standing;
  const { maxBytes, window, name } = running.seat.model.receiver;
  const room = { tokenizer, ...running.terms.room };
  const before = running.words.prompt?.edition ?? running.who.session.baseline?.edition;
  const fit = { window, toolTokens: offerTokens(offersNow(running), tokenizer), before };
  const { edition, because } = chooseEdition(charter, running.words.readings, room, fit);
  if (because) addNotice(emit, notices, compactNotice(name, because));
  const prompt = assembleWithin(charter, running.words.readings, { ...room, edition }, maxBytes);
  running.words.prompt = prompt;
  for (const one of prompt.notices) addNotice(emit, notices, one);
  for (const { name, trust, start, end } of prompt.sections) {
    if (trust !== "foreign") continue;
    const says = `the section “${name}” of the agent's prompt has words of others in it`;
    taint(running, `Untrusted text is in “${name}”.`, foreignText(says, prompt.text.slice(start, end)));
  }
  return prompt;
}

/** So much of a window the prompt and the tools may take: the rest is for what is said. */
const share = 2 / 3;

/** What a prompt has to fit into beside the conversation. */
export type PromptFit = {
  /** The most tokens a request may have; null where that is not known. */
  readonly window: number | null;
  readonly toolTokens: number;
  /** The edition that the session has had so far. */
  readonly before?: Edition | undefined;
};

/** The edition of a prompt. `because`: in full, with the tools, it has so many tokens, which leave too little of the window. */
type ChosenEdition = { readonly edition: Edition; readonly because?: TooLarge };

type TooLarge = { readonly tokens: number; readonly window: number };

/**
 * The full edition, unless it leaves too little of the window. A session keeps the one it has: it only becomes compact
 * where no request could be made otherwise, and never full again.
 */
export function chooseEdition(
  charter: Charter,
  readings: Readings,
  { tokenizer, edition, ...limits }: Room & { readonly tokenizer: Tokenizer },
  { window, toolTokens, before }: PromptFit,
): ChosenEdition {
  if (edition !== undefined) return { edition };
  if (before === "compact") return { edition: before };
  const most = before === "full" ? requestLimit(window) : window && window * share;
  if (window === null || most === null) return { edition: "full" };
  const tokens = assemble(charter, readings, { ...limits, tokenizer }).tokens(tokenizer).total + toolTokens;
  return tokens <= most ? { edition: "full" } : { edition: "compact", because: { tokens, window } };
}

/** Told with the turn in which a session's prompt becomes compact. */
function compactNotice(model: string, { tokens, window }: TooLarge): Notice {
  const message = `The prompt is sent in its compact edition: with its tools it has ${counted(tokens, "token")} in full, and “${model}” takes ${grouped(window)} for everything.`;
  return { code: "edition-compact", message };
}

/** The session keeps the edition of the prompt that it was sent. */
export function withEdition(delivery: Delivery, { edition }: Prompt): Delivery {
  const { baseline } = delivery;
  return baseline.edition === edition ? delivery : { ...delivery, baseline: { ...baseline, edition } };
}

const { byteLength } = Buffer;

/** What delivery adds to a prompt: a line on how changes are told. */
const spareBytes = 1024;

/**
 * Assembles a prompt of at most so many bytes. Charters count characters: where those of a prompt that is too long take
 * more than a byte each, fewer of them fit, until it does.
 */
export function assembleWithin(charter: Charter, readings: Readings, room: Room, maxBytes: number | undefined): Prompt {
  const whole = assemble(charter, readings, room);
  if (maxBytes === undefined) return whole;
  const limit = Math.max(0, maxBytes - spareBytes);
  const { chars: declared = Number.POSITIVE_INFINITY } = boundsOf(charter, room);
  let prompt = whole;
  for (let chars = Math.min(declared, limit); byteLength(prompt.text) > limit; ) {
    prompt = assemble(charter, readings, { ...room, chars });
    const bytes = byteLength(prompt.text);
    if (chars === 0) return prompt;
    chars = Math.min(chars - 1, Math.floor(chars * (limit / Math.max(bytes, 1))));
  }
  return prompt;
}
