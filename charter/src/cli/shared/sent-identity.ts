import { identityText } from "../../delivery/identity-text.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import { type StoreValues, withStore } from "./store.ts";

type SentIdentity = NonNullable<Receipt["identity"]> & { readonly turn: string; readonly says: string };

/** Where the last turn's system prompt went, if its model is an agent that keeps the conversation itself. */
export async function sentIdentity(
  values: StoreValues & { readonly agent: string; readonly user?: string | undefined },
): Promise<SentIdentity | undefined> {
  const { agent, user } = values;
  return withStore(values, async ({ turns, steps }) => {
    const [last] = await turns.list({ agent, ...(user === undefined ? {} : { user }), limit: 1 });
    const identity = last && (await steps.of(last.id)).at(-1)?.receipt?.identity;
    return identity && { ...identity, turn: last.id, says: identityText(identity) };
  });
}
