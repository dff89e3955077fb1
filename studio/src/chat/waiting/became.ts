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
