import type { Scope } from "../../amend/amendment.ts";
import type { Summary } from "../../delivery/baseline.ts";
import type { ToolCall } from "../../delivery/model.ts";
import { badArgument, kindOf } from "../../prompt/argument.ts";
import { preview } from "../../prompt/character.ts";
import { quoted } from "../../prompt/fence.ts";
import { listed } from "../../prompt/problem.ts";
import type { Attachment, ForeignText } from "../../prompt/step-result.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { SessionTurn } from "../../store/turns/session.ts";
import { hasEffects, type Tool } from "../tool.ts";

/**
 * The calls before which the person at the door is asked: none, those that act on the world outside (`writes`), or all. Those
 * that act need approval in a tainted turn in each of these modes.
 */
export type AskMode = (typeof askModes)[number];

export const askModes = ["never", "writes", "always"] as const;

export function checkAskMode(ask: unknown): void {
  if (askModes.some((mode) => mode === ask)) return;
  throw badArgument(`The \`ask\` that runTurn was given is ${kindOf(ask)}.`, `Give ${listed(askModes)}.`);
}

/** The reason why a call needs approval. */
export type AskReason = "untrusted" | Exclude<AskMode, "never">;

/** Returns why this call needs approval; undefined if it simply runs. */
export function askReason(
  tool: Pick<Tool, "reads" | "harmless">,
  { tainted, ask }: { readonly tainted: boolean; readonly ask: AskMode },
): AskReason | undefined {
  const acts = hasEffects(tool);
  if (acts && tainted) return "untrusted";
  if (ask === "always") return "always";
  return acts && ask === "writes" ? "writes" : undefined;
}

/**
 * A tool that a person has allowed for the rest of a session: for whom, which, where, and with which foreign texts in the
 * session.
 */
export type Allowance = {
  readonly session: string;
  readonly agent: string;
  readonly user: string | null;
  readonly tool: string;
  /** The digest of the tool as offered: a tool that has changed is not the one that was allowed. */
  readonly definition: string;
  readonly place: string | null;
  /** The keys of all foreign texts that the session had. */
  readonly texts: readonly string[];
};

/** Describes a call, to compare it with what was allowed. */
export function allowanceFor(
  session: { readonly id: string; readonly texts: readonly ForeignText[] },
  { agent, user = null }: { readonly agent: string; readonly user?: Scope["user"] | null },
  tool: Pick<Tool, "name" | "description" | "summary" | "schema" | "place">,
): Allowance {
  const { name, description = null, summary = null, schema = null, place = null } = tool;
  const definition = sha256(JSON.stringify([name, description, summary, schema]));
  const texts = session.texts.map(({ key }) => key);
  return { session: session.id, agent, user: user ?? null, tool: name, definition, place, texts };
}

/**
 * Tells whether a call was allowed: everything is as it was when the person said so, and no foreign text has come that they did
 * not know of.
 */
export function isAllowed(given: readonly Allowance[], asked: Allowance): boolean {
  return given.some(({ texts, ...one }) => {
    const { texts: textsNow, ...other } = asked;
    return JSON.stringify(one) === JSON.stringify(other) && textsNow.every((key) => texts.includes(key));
  });
}

/** Keeps the allowances of a session that no new foreign text has ended. */
export function withoutEnded(given: readonly Allowance[], { session, texts }: Allowance): Allowance[] {
  return given.filter((one) => one.session !== session || texts.every((key) => one.texts.includes(key)));
}

/** The tools allowed in this process; they end with it. */
export type Allowances = {
  readonly isAllowed: (asked: Allowance) => boolean;
  readonly add: (allowance: Allowance) => void;
};

export function createAllowances(): Allowances {
  let given: readonly Allowance[] = [];
  return {
    isAllowed: (asked) => {
      given = withoutEnded(given, asked);
      return isAllowed(given, asked);
    },
    add: (allowance) => {
      given = [...given, allowance];
    },
  };
}

/** Makes a foreign text. The same place with other words is another text: it may have another author since. */
export function foreignText(says: string, ...parts: readonly string[]): ForeignText {
  return foreignDigest(says, ...parts.map(sha256));
}

/** Makes a foreign text of parts whose digests are known. */
export function foreignDigest(says: string, ...digests: readonly string[]): ForeignText {
  return { key: sha256(JSON.stringify([says, ...digests])), says };
}

/** Makes the foreign text of a user's message with others' words in it, such as a forwarded one. */
export function messageText(input: string): ForeignText {
  return foreignText("a message in this conversation has words of others in it", input);
}

/**
 * Makes the foreign texts of pictures and files that came with a message. Their names are quoted, so that whoever chose them
 * speaks only between the marks. Pictures that the user picked themselves are a text of their own; files, which others wrote, never.
 */
export function attachedTexts(
  attachments: readonly Attachment[],
  { turn, picked }: { readonly turn: string; readonly picked: readonly string[] },
): ForeignText[] {
  const isPicked = ({ digest, mediaType }: Attachment) => picked.includes(digest) && isPicture(mediaType);
  const pictures = attachments.filter(isPicked);
  const others = attachments.filter((one) => !isPicked(one));
  const digests = (all: readonly Attachment[]) => all.map(({ digest }) => digest);
  return [
    ...(pictures.length > 0
      ? [{ ...foreignText(attachedWords(pictures), "picked", ...digests(pictures)), sentIn: turn }]
      : []),
    ...(others.length > 0 ? [foreignText(attachedWords(others), ...digests(others))] : []),
  ];
}

function isPicture(mediaType: string): boolean {
  return mediaType.startsWith("image/");
}

function attachedWords(attachments: readonly Attachment[]): string {
  const names = attachments.map(({ name, mediaType }) => {
    const kind = isPicture(mediaType) ? "picture" : "file";
    return name === undefined ? `a ${kind}` : `the ${kind} ${quoted(preview(name, 100))}`;
  });
  return `${names.join(" and ")} came with a message`;
}

/** Makes the foreign text of a tool's result. */
export function broughtText({ name, input }: Pick<ToolCall, "name" | "input">, output: string): ForeignText {
  return foreignText(broughtBy(name, input), name, input, output);
}

function broughtBy(name: string, input: string): string {
  if (name === "read_memory") return "a note with words of others in it was read";
  const page = addressIn(input);
  if (page !== undefined) return `the page ${preview(page, 200)} was read in this conversation`;
  return `“${name}” brought text of others into this conversation`;
}

/**
 * Finds an address in a call's input, in its normal form: unusual signs are written as numbers, even a blank that is no white
 * space.
 */
function addressIn(input: string): string | undefined {
  try {
    const values = Object.values(Object(JSON.parse(input)));
    const isAddress = (value: unknown) => typeof value === "string" && /^https?:\/\/\S+$/i.test(value);
    return new URL(values.find(isAddress) as string).href;
  } catch {
    return undefined;
  }
}

/** A turn as far as its foreign texts go. */
type TaintedTurn = Pick<SessionTurn, "id" | "tainted" | "foreign" | "told">;

/**
 * Lists the foreign texts of a session from its record, oldest first. A tainted turn whose texts are not on record counts as one
 * text, and so does what a schedule sent.
 */
export function recordedTexts(summary: Summary | null | undefined, turns: readonly TaintedTurn[]): ForeignText[] {
  const says = "text of others came earlier in this conversation";
  const before = summary?.foreign ?? (summary?.tainted ? [foreignText(says, summary.until)] : []);
  const since = turns.flatMap(({ id, tainted, foreign, told }) => {
    if (!tainted) return [];
    if (told)
      return [foreignText(`the schedule ${quoted(told.schedule)} brought text of others into this conversation`, id)];
    return foreign ?? [foreignText(says, id)];
  });
  return [...new Map([...before, ...since].map((text) => [text.key, text])).values()];
}

/** Lists the texts that still taint: all but pictures that the user said are their own. */
export function openTexts(texts: readonly ForeignText[]): readonly ForeignText[] {
  return texts.filter(({ own }) => !own);
}

/**
 * Tells whether the user may say that what they are asked about is their own: there is no other text of others than pictures
 * they sent themselves.
 */
export function mayBeOwn(texts: readonly ForeignText[]): boolean {
  const open = openTexts(texts);
  return open.length > 0 && open.every(({ sentIn }) => sentIn !== undefined);
}

/** Maximum number of texts that are named. */
const maxNamed = 3;

/** Says in a sentence why a person is asked. */
export function becauseText(reason: AskReason, texts: readonly ForeignText[]): string {
  if (reason === "always") return "You are asked because you want to be asked before every call.";
  if (reason === "writes") return "You are asked because it changes something, and you want to be asked before that.";
  return `You are asked because ${textsWords(texts)}.`;
}

/** Names the foreign texts, to go on after “because”. */
export function textsWords(texts: readonly ForeignText[]): string {
  const says = [...new Set(openTexts(texts).map((one) => one.says))];
  const shown = says.slice(0, maxNamed);
  const others = says.length - shown.length;
  if (shown.length === 0) return "text of others is in this conversation";
  if (others > 0)
    shown.push(others === 1 ? "there is 1 more text of others" : `there are ${others} more texts of others`);
  const last = shown.length > 1 ? `, and ${shown.pop()}` : "";
  return `${shown.join(", ")}${last}`;
}
