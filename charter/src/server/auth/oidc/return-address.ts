import { Problem } from "../../../prompt/problem.ts";

/** Where people come back to from the issuer: what the operator said, or this machine. Never what a request says. */
export function returnAddress(about: {
  readonly url: string | undefined;
  /** Whether nobody but this machine reaches the server. */
  readonly isAlone: boolean;
  /** Where it listens: asked when it does. */
  readonly listensAt: () => string;
}): () => string {
  const { url, isAlone, listensAt } = about;
  if (url === undefined && !isAlone)
    throw new Problem(
      "bad-config",
      "People sign in at an issuer, but the server's public address is not set: they come back to it.",
      "Set CHARTER_URL (or url, or --url) to the address others reach this server by.",
    );
  return () => (url ?? listensAt()).replace(/\/+$/, "");
}
