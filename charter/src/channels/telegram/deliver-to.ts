import type { Scope } from "../../amend/amendment.ts";
import { checkNeeded, isText } from "../../prompt/argument.ts";
import type { NewDispatch } from "../../store/channels/dispatches.ts";
import { checkScope } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import { type Approval, approvalsOf, type Button } from "./approval.ts";
import type { FormattedText, TextEntity } from "./formatted/formatted-text.ts";
import { formattedText } from "./formatted/markdown.ts";
import { splitFormatted } from "./formatted/split-formatted.ts";

/** A message for a user, in as many pieces as the channel needs, with buttons under the last. */
export type OutgoingMessage = {
  /** Markdown; where the channel shows none, it is sent as it is. */
  readonly text: string;
  /** The turn that sends it. Approvals it asked for are shown along with it. */
  readonly turn?: string;
  readonly buttons?: readonly Button[];
};

/** What a message needs besides its words. */
export type DispatchExtra = { readonly buttons?: readonly Button[]; readonly entities?: readonly TextEntity[] };

/**
 * Queues a message for every chat that a user has linked, and returns how many pieces it has. They are sent as soon as
 * possible.
 */
export async function deliverTo(store: Store, scope: Scope, message: OutgoingMessage): Promise<number> {
  checkScope(scope);
  checkNeeded<OutgoingMessage>("deliverTo", message, { text: [isText, "Give the words, as text."] });
  const dispatches = await dispatchesTo(store, scope, message);
  if (dispatches.length > 0) await store.dispatches.add(dispatches);
  return dispatches.length;
}

/** The pieces for every chat a user has linked, to be written along with what they tell of. */
export async function dispatchesTo(store: Store, scope: Scope, said: OutgoingMessage): Promise<NewDispatch[]> {
  const { agent, user } = scope;
  if (user === undefined) return [];
  const links = await store.links.of(scope);
  if (links.length === 0) return [];
  const approvals = said.turn === undefined ? [] : await approvalsOf(store, { agent, user }, said.turn);
  return links.flatMap(({ channel, address }) =>
    dispatchesFor({ scope: { agent, user }, channel, address }, said, approvals),
  );
}

/** The pieces of what is said in one chat, and of what is asked there. */
export function dispatchesFor(
  { scope, channel, address }: Pick<NewDispatch, "scope" | "channel" | "address">,
  said: OutgoingMessage,
  approvals: readonly Approval[] = [],
): NewDispatch[] {
  const to = { scope, channel, address };
  const turn = said.turn === undefined ? {} : { turn: said.turn };
  // What a model says is Markdown; what someone is to decide is shown as it is.
  const messages = [
    { ...said, whole: formattedText(said.text) },
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
