import type { Held } from "./held-card.tsx";

/** What became of something that waited. */
export function becameWords(held: Held): string {
  if (held.status === "rejected") return "You rejected it. Nothing was done.";
  if (!("tool" in held)) return "Approved. It applies from the next message on.";
  switch (held.status) {
    case "approved":
      return "Approved. It is done with your next message: write “Go on.”";
    case "running":
      return "Approved. It is being done.";
    case "done":
      return "Approved and done.";
    default:
      return "Approved, but it did not work.";
  }
}

/** Why a call waits: the server's usual reason, said to someone who has never heard of contexts. */
export function plainReason(reason: string): string {
  return /^(?:Untrusted text is|Foreign words are) in this turn/.test(reason)
    ? "The assistant had read text from somebody else before, and this reaches other people or things."
    : reason;
}
