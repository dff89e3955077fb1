import { aStore } from "../../agent/agent-options.ts";
import { checkNeeded, isText } from "../../prompt/argument.ts";
import type { Store } from "../../store/store.ts";
import { text } from "../field.ts";
import type { OperationContext } from "../operation.ts";

/** Where a link leads, for commands: the service need not run where they do. */
export const url = text(
  "The server's address (default: CHARTER_URL, else url of a trusted charter.config.ts, else http://127.0.0.1:4747).",
)
  .option("address")
  .only("command")
  .optional();

export async function addressIn({ service }: OperationContext, url?: string): Promise<string> {
  return url ?? (await service.address?.()) ?? "";
}

/**
 * Creates a link that signs someone in, once, within ten minutes: the operator to the studio; or, where one is named, a
 * user to the page for users, with one agent. The code is behind the `#`, which browsers send to nobody, so it is in no
 * log.
 */
export async function signInLink(
  store: Store,
  base: string,
  whose?: { readonly agent: string; readonly user: string },
): Promise<string> {
  checkNeeded<{ store: Store; base: string }>(
    "signInLink",
    { store, base },
    {
      store: aStore,
      base: [isText, "Give the address of the service, as in https://charter.example."],
    },
  );
  return (await newSignInLink(store, base, whose)).url;
}

/** The same, and until when it works. */
export async function newSignInLink(
  store: Store,
  base: string,
  whose?: { readonly agent: string; readonly user: string },
): Promise<{ readonly url: string; readonly expiresAt: string }> {
  const named = whose === undefined ? {} : { agent: whose.agent, user: whose.user };
  const { secret, expiresAt } = await store.tokens.create({ name: "sign-in link", kind: "sign-in", ...named });
  const page = whose === undefined ? "sign-in" : "chat";
  return { url: `${base.replace(/\/+$/, "")}/${page}#${secret}`, expiresAt: expiresAt as string };
}

/** The link of an invitation. The page behind it waits for a person to accept. */
export function invitationLink(base: string, secret: string): string {
  return `${base.replace(/\/+$/, "")}/chat/invitation#${secret}`;
}
