import { createHash } from "node:crypto";

/** What goes out with a sign-in at an issuer, and has to come back. */
export type Flow = { readonly state: string; readonly nonce: string; readonly verifier: string };

/**
 * All three from one secret, which the browser has as a cookie and the store as a digest. None of them tells another, and
 * none is kept anywhere.
 */
export function flowOf(secret: string): Flow {
  const part = (what: string) => createHash("sha256").update(`${what}:${secret}`).digest("base64url");
  return { state: part("state"), nonce: part("nonce"), verifier: part("verifier") };
}
