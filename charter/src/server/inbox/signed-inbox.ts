import { checkFields, isBoolean } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { usualChain } from "./signed-message.ts";

/** How messages reach inboxes besides with a token, in a `charter.config.ts`. */
export type InboxConfig = {
  /** Anyone may post a message that is signed with the key of their address (EIP-712). */
  readonly signed?: boolean;
  /** The chain that signatures name; 8453 (Base), unless given. */
  readonly chain?: number;
};

/** Where signed messages are taken: the address they have to be for, and the chain. */
export type SignedInbox = { readonly service: () => string; readonly chain: number };

/** The setting as it was written: what is wrong with it is named. */
export function checkInbox(inbox: unknown, place: string): void {
  checkFields<InboxConfig>(inbox, {
    ...{ name: "inbox", place, hint: "As in inbox: { signed: true, chain: 8453 }: docs/http.md#signed-messages." },
    fields: {
      signed: [isBoolean, "is neither true nor false"],
      chain: [(value) => Number.isSafeInteger(value) && (value as number) > 0, "is no number of a chain"],
    },
  });
}

/** What a config says about signed messages; nothing, where none are taken. */
export function signedInbox(about: {
  readonly inbox: InboxConfig | undefined;
  /** Where others reach the server, where that is said. */
  readonly url: string | undefined;
  /** Whether nobody but this machine reaches it. */
  readonly isAlone: boolean;
  /** Where it listens: asked when it does. */
  readonly listensAt: () => string;
}): SignedInbox | undefined {
  const { inbox = {}, url, isAlone, listensAt } = about;
  const { signed = false, chain = usualChain } = inbox;
  if (!signed) return undefined;
  // Behind “all addresses” every server has the same name: what is signed for one would be good at each.
  if (url === undefined && !isAlone)
    throw new Problem(
      "bad-config",
      "Messages may be signed, but the server's public address is not set: signatures name it.",
      "Set CHARTER_URL (or url, or --url) to the address others reach this server by.",
    );
  return { service: () => serviceOf(url ?? listensAt()), chain };
}

/** An address as signatures name it: with its path, without a slash at the end. */
function serviceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}
