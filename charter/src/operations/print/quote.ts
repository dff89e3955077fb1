import type { SessionQuote } from "../../host/proposal.ts";

/** The quote as lines to read. */
export function quoteLines({ says, session, cold, happens }: SessionQuote, user: string | undefined): string[] {
  const unnamed = session === null && user === undefined && happens !== "held";
  return [
    says,
    ...(unnamed ? ["Name a user with --user to have it quoted for their session."] : []),
    ...(cold ? [`The cache of session ${session} has expired: the whole prompt is sent again anyway.`] : []),
    "Nothing was changed. To apply the change, leave --quote out.",
  ];
}
