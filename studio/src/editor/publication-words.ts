import type { OutcomeAnswer } from "charter/answers";

export type PublicationOutcome = NonNullable<OutcomeAnswer["publication"]>;

/** What became of words that go out to relays, in a sentence. */
export function publicationWords({ state, taken, missed, conflict }: PublicationOutcome): string {
  if (state === "superseded" && !conflict) return "Not published: a later change replaced it.";
  if (state === "superseded")
    return "Something newer was written elsewhere at the same time. That is the current text.";
  if (state === "waiting")
    return taken.length === 0
      ? "Not published yet: no relay took it. It is kept, and sent again."
      : "Not published yet: no relay shows it. It is kept, and sent again.";
  const of = taken.length + missed.length;
  // A later look found it there: who took it when is not known here.
  if (taken.length === 0) return "Published.";
  if (missed.length > 0) return `Published on ${taken.length} of ${of} relays.`;
  return of === 1 ? "Published on its one relay." : `Published on all ${of} relays.`;
}
