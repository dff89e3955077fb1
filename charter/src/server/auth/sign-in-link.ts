import type { Store } from "../../store/store.ts";

/**
 * Creates a link that signs the operator in to the studio, once, within ten minutes. The code is behind the `#`, which
 * browsers send to nobody, so it is in no log.
 */
export async function signInLink(store: Store, base: string): Promise<string> {
  const { secret } = await store.tokens.create({ name: "sign-in link", kind: "sign-in" });
  return `${base.replace(/\/+$/, "")}/sign-in#${secret}`;
}
