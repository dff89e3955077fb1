import type { Store } from "../../store/store.ts";

/**
 * An address that signs the operator in, once, within ten minutes. The code stands behind the `#`: browsers send that to
 * nobody, so no log and no other page learns it; the page itself hands it in.
 */
export async function signInLink(store: Store, base: string): Promise<string> {
  const { secret } = await store.tokens.create({ name: "sign-in link", kind: "sign-in" });
  return `${base.replace(/\/+$/, "")}/sign-in#${secret}`;
}
