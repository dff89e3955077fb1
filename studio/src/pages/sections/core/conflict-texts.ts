import type { Amendment } from "../history/use-history.ts";

/** One of two texts that were written at the same time. */
export type Version = {
  readonly text: string;
  readonly revision: number | undefined;
  readonly at: string | undefined;
  readonly by: string;
  readonly stands: boolean;
};

/** Both texts of a conflict, out of the revisions after it; or why they cannot be shown. */
export function textsOf(
  conflict: { readonly revision: number; readonly by: string | null },
  amendments: readonly Pick<Amendment, "revision" | "actor" | "at" | "after" | "event">[],
  stands: number,
): { readonly here: Version; readonly elsewhere: Version } | string {
  const ours = amendments.find(({ revision }) => revision === conflict.revision);
  const theirs = amendments.find(({ event }) => event?.state === "elsewhere" && event.id === conflict.by);
  if (!ours || !theirs) return "Both texts are in the history below.";
  if (ours.after === null || theirs.after === null) return "The text of one of them was erased.";
  const facts = ({ revision, at }: typeof ours) => ({ revision, at, stands: revision === stands });
  return {
    here: { ...facts(ours), text: ours.after, by: `by the ${ours.actor}` },
    elsewhere: { ...facts(theirs), text: theirs.after, by: "with the same key" },
  };
}
