import type { Delivery } from "../../../delivery/deliver.ts";
import { assemble } from "../../../prompt/assemble.ts";
import type { Charter } from "../../../prompt/charter.ts";
import type { Edition } from "../../../prompt/edition.ts";
import type { Notice } from "../../../prompt/notice.ts";
import { counted, grouped } from "../../../prompt/problem.ts";
import type { Prompt } from "../../../prompt/prompt.ts";
import { boundsOf, type Room } from "../../../prompt/room.ts";
import type { Readings } from "../../../prompt/source.ts";
import type { Tokenizer } from "../../../prompt/tokens.ts";
import { requestLimit } from "./room.ts";

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
export function compactNotice(model: string, { tokens, window }: TooLarge): Notice {
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
