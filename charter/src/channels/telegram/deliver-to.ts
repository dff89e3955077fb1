import { mineAnswer, questionOf } from "../../agent/held-question.ts";
import { allowedOnce, isPermission } from "../../agent/turn/permission.ts";
import type { Scope } from "../../amend/amendment.ts";
import { checkNeeded, isText } from "../../prompt/argument.ts";
import { visible } from "../../prompt/character.ts";
import { type HeldProposal, waitsForOperator } from "../../store/amendments/held-proposal.ts";
import type { NewDispatch } from "../../store/channels/dispatches.ts";
import { checkScope } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import type { HeldCall } from "../../store/turns/held-calls.ts";
import { formattedText } from "./markdown.ts";
import { type FormattedText, splitFormatted, type TextEntity } from "./split.ts";

/** A message for a user, in as many pieces as the channel needs, with buttons under the last. */
export type OutgoingMessage = {
  /** The text in Markdown; where the channel shows none, it is sent as it is. */
  readonly text: string;
  /** The turn that sends it. Approvals that the turn asked for are shown along with it. */
  readonly turn?: string;
  readonly buttons?: readonly Button[];
};

/** The buttons and the formatting of a message. */
export type DispatchExtra = { readonly buttons?: readonly Button[]; readonly entities?: readonly TextEntity[] };

/**
 * Queues a message for every chat that a user has linked, and returns how many pieces it has. They are sent as soon as possible.
 */
export async function deliverTo(store: Store, scope: Scope, message: OutgoingMessage): Promise<number> {
  checkScope(scope);
  checkNeeded<OutgoingMessage>("deliverTo", message, { text: [isText, "Give the words, as text."] });
  const dispatches = await dispatchesTo(store, scope, message);
  if (dispatches.length > 0) await store.dispatches.add(dispatches);
  return dispatches.length;
}

/** Makes the pieces for every chat a user has linked; the caller stores them together with the event they report. */
export async function dispatchesTo(store: Store, scope: Scope, message: OutgoingMessage): Promise<NewDispatch[]> {
  const { agent, user } = scope;
  if (user === undefined) return [];
  const links = await store.links.of(scope);
  if (links.length === 0) return [];
  const approvals = message.turn === undefined ? [] : await approvalsOf(store, { agent, user }, message.turn);
  return links.flatMap(({ channel, address }) =>
    dispatchesFor({ scope: { agent, user }, channel, address }, message, approvals),
  );
}

/** Makes the pieces of a message in one chat, with the questions that belong to it. */
export function dispatchesFor(
  { scope, channel, address }: Pick<NewDispatch, "scope" | "channel" | "address">,
  message: OutgoingMessage,
  approvals: readonly Approval[] = [],
): NewDispatch[] {
  const to = { scope, channel, address };
  const turn = message.turn === undefined ? {} : { turn: message.turn };
  // Formats a model's message as Markdown, but shows a question as it is.
  const messages = [
    { ...message, whole: formattedText(message.text) },
    ...approvals.map((one) => ({ ...one, whole: { text: one.text, entities: [] } })),
  ];
  return messages.flatMap(({ text, whole, buttons = [] }) => {
    const pieces: readonly FormattedText[] =
      channel === "telegram" ? splitFormatted(whole) : text.trim() === "" ? [] : [{ text, entities: [] }];
    return pieces.map(({ text: body, entities }, index) => {
      const extra: DispatchExtra = {
        ...(entities.length > 0 ? { entities } : {}),
        ...(index === pieces.length - 1 && buttons.length > 0 ? { buttons } : {}),
      };
      return { ...to, ...turn, body, ...(Object.keys(extra).length > 0 ? { extra } : {}) };
    });
  });
}

/** A button under a message. `data` is sent back when it is pressed, at most 64 bytes. */
export type Button = { readonly text: string; readonly data: string };

/** A question to a person, with its possible answers. */
type Approval = { readonly text: string; readonly buttons: readonly Button[] };

/** `mine`: the picture that it waits because of is the person's own. */
export type Decision = { readonly approved: boolean; readonly held: string; readonly mine?: true };

/** Lists everything that a turn left for its user to decide; what only the operator approves, they may reject. */
export async function approvalsOf(
  store: Store,
  { agent, user }: Scope & { readonly user: string },
  turn: string,
): Promise<Approval[]> {
  const calls = await all((page) => store.calls.list({ agent, user, ...page }));
  const proposals = await all((page) => store.held.list({ agent, user, ...page }));
  return [
    ...calls
      .filter((call) => call.turn === turn)
      .map((call) => approval(call.id, callWords(call), { ofPicture: call.ofPicture })),
    ...proposals
      .filter((held) => held.proposal.turn === turn)
      .map((held) => approval(held.id, heldWords(held), { mayApprove: !waitsForOperator(held) })),
  ];
}

export function decisionOf(data: string): Decision | undefined {
  const [, word, held] = /^(yes|mine|no) ([\w-]{1,59})$/.exec(data) ?? [];
  if (held === undefined) return undefined;
  return { approved: word !== "no", held, ...(word === mineAnswer.word ? { mine: true } : {}) };
}

type Asking = { readonly mayApprove?: boolean; readonly ofPicture?: boolean | undefined };

function approval(id: string, text: string, { mayApprove = true, ofPicture }: Asking): Approval {
  const { says, word } = mineAnswer;
  return {
    text,
    buttons: [
      ...(mayApprove ? [{ text: "Approve", data: `yes ${id}` }] : []),
      ...(ofPicture ? [{ text: says, data: `${word} ${id}` }] : []),
      { text: "Reject", data: `no ${id}` },
    ],
  };
}

function callWords(held: HeldCall): string {
  const { sentence, details } = questionOf(held);
  const given = details.length === 0 ? [] : [details.join("\n")];
  const once = isPermission(held) ? [`If you approve, it is ${allowedOnce}.`] : [];
  return [sentence, ...given, ...once].join("\n\n");
}

function heldWords(held: HeldProposal): string {
  const { section, proposal, after, refusals } = held;
  const reason = proposal.reason ? ` (${shown(proposal.reason)})` : "";
  const why = refusals.map(({ because }) => because).join(" ");
  const words = after === "" ? "It would be empty." : `It would then read:\n\n${shown(after)}`;
  const [asks, because] = waitsForOperator(held)
    ? [`A change of “${section}” waits for whoever runs me.`, "You can reject it. Why it waits"]
    : [`May I change “${section}”?`, "Why you are asked"];
  return `${asks}${reason}\n\n${words}\n\n${because}: ${why}`;
}

/**
 * Writes out invisible characters, so that nobody approves what they have not seen. The text is cut at a length that nobody reads
 * in a chat.
 */
function shown(words: string): string {
  const seen = visible(words);
  const maxChars = 12_000;
  const rest = seen.length - maxChars;
  return rest <= 0
    ? seen
    : `${seen.slice(0, maxChars).toWellFormed()}… (${rest} more characters; see all of it on the web)`;
}

async function all<Row>(list: (page: { limit: number; offset: number }) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const limit = 200; ; ) {
    const page = await list({ limit, offset: rows.length });
    rows.push(...page);
    if (page.length < limit) return rows;
  }
}
