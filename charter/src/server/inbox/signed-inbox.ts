import { isObject } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { usualChain } from "./signed-message.ts";

/** Where signed messages are taken: the address they have to be for, and the chain. */
export type SignedInbox = { readonly service: () => string; readonly chain: number };

/** What a config says about signed messages, checked; nothing, where none are taken. */
export function signedInbox(about: {
  readonly inbox: { readonly signed?: boolean; readonly chain?: number } | undefined;
  /** Where others reach the server, where that is said. */
  readonly url: string | undefined;
  /** Whether nobody but this machine reaches it. */
  readonly isAlone: boolean;
  /** Where it listens: asked when it does. */
  readonly listensAt: () => string;
}): SignedInbox | undefined {
  const { inbox = {}, url, isAlone, listensAt } = about;
  if (!isObject(inbox)) throw badConfig(`“inbox” is ${JSON.stringify(inbox)}.`, "Write inbox: { signed: true }.");
  const { signed = false, chain = usualChain, ...others } = inbox;
  const [other] = Object.keys(others);
  if (other !== undefined) throw badConfig(`“inbox.${other}” is no setting.`, "The settings are signed and chain.");
  if (typeof signed !== "boolean")
    throw badConfig(`“inbox.signed” is ${JSON.stringify(signed)}.`, "Give true or false.");
  if (!(Number.isSafeInteger(chain) && chain > 0))
    throw badConfig(`“inbox.chain” is ${chain}.`, "Give the number of a chain, as in 8453 (Base).");
  if (!signed) return undefined;
  // Behind “all addresses” every server has the same name: what is signed for one would be good at each.
  if (url === undefined && !isAlone)
    throw badConfig(
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

function badConfig(message: string, hint: string): Problem {
  return new Problem("bad-config", message, hint);
}
