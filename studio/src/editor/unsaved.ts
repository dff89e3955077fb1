/** The words a section has now. */
export type Stands = { readonly text: string; readonly revision: number };

/** Words that were typed and not saved, and the revision they were begun at. */
export type Unsaved = Stands & { readonly reason?: string };

/**
 * "clean": nothing was typed that does not stand already. "typing": words on top of what stands. "stale": the section
 * has changed since they were begun, so there are two texts and somebody has to choose.
 */
export type Typing = "clean" | "typing" | "stale";

export function typingOf(stands: Stands, unsaved: Unsaved | undefined): Typing {
  if (unsaved === undefined || unsaved.text === stands.text) return "clean";
  return unsaved.revision === stands.revision ? "typing" : "stale";
}

/** What is kept after something was typed. Whoever has the words that stand has typed nothing. */
export function typed(stands: Stands, unsaved: Unsaved | undefined, text: string): Unsaved | undefined {
  const { reason } = unsaved ?? {};
  const begun = typingOf(stands, unsaved) === "clean" ? stands.revision : (unsaved as Unsaved).revision;
  if (text === stands.text && !reason) return undefined;
  return { text, revision: begun, ...(reason ? { reason } : {}) };
}

export function withReason(stands: Stands, unsaved: Unsaved | undefined, reason: string): Unsaved | undefined {
  const { text, revision } = unsaved ?? stands;
  if (reason === "" && text === stands.text) return undefined;
  return { text, revision, ...(reason === "" ? {} : { reason }) };
}

/** What is left to save after `sent` was: nothing, or what was typed on top of it meanwhile. */
export function afterSaving(unsaved: Unsaved | undefined, sent: string, saved: Stands): Unsaved | undefined {
  if (unsaved === undefined || unsaved.text === sent || unsaved.text === saved.text) return undefined;
  return { text: unsaved.text, revision: saved.revision };
}

/** Words that were refused as stale stand all the same where an earlier attempt came through and nobody heard of it. */
export function standsAlready(stands: Stands, sent: string): boolean {
  return stands.text.trim() === sent.trim();
}
