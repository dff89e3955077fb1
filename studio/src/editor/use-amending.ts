import type { OutcomeAnswer, SectionAnswer } from "charter/answers";
import { useEffect, useRef, useState } from "react";
import { refresh } from "../api/event-feed.ts";
import { queryClient } from "../api/query-client.ts";
import { type ApiProblem, encodeName, sectionPath, sendJson, type Whose } from "../api/request.ts";
import { readDraft, useDraft } from "../kit/draft.ts";
import { standsIn } from "./verdict.tsx";

/** What became of the last thing that was done here. */
export type Done =
  | {
      readonly kind: "amended";
      readonly revision: number;
      readonly before: number;
      readonly says: string;
      /** What became of it where the section is also kept. */
      readonly publication?: PublicationOutcome | undefined;
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "held"; readonly id: string }
  | { readonly kind: "failed"; readonly problem: ApiProblem };

/** Where the browser keeps what was typed: one draft for each copy there is. */
export function draftPlace({ agent, user }: Whose, { name: section, scope }: SectionAnswer): string {
  return `section ${JSON.stringify([agent, scope === "user" ? user : null, section])}`;
}

export type Amending = {
  readonly stands: Stands;
  readonly unsaved: Unsaved | undefined;
  readonly typing: Typing;
  readonly text: string;
  readonly busy: boolean;
  /** Nothing can be saved now. */
  readonly locked: boolean;
  readonly done: Done | undefined;
  /** What was discarded last; it can be brought back. */
  readonly aside: Unsaved | undefined;
  readonly bothShown: boolean;
  readonly showBoth: (shown: boolean) => void;
  readonly type: (text: string) => void;
  readonly giveReason: (reason: string) => void;
  readonly save: () => void;
  readonly discard: () => void;
  readonly bringBack: () => void;
  readonly keepMine: () => void;
  /** Other words to go on from. What was typed before can be brought back. */
  readonly goOnFrom: (text: string) => void;
  /** Whether it was done. */
  readonly revert: (to: number, reason?: string) => Promise<boolean>;
  readonly reset: (reason?: string) => Promise<boolean>;
  readonly dismiss: () => void;
  /** Words that are known to stand, before they are read again. */
  readonly learn: (now: Stands) => Promise<void>;
};

/** Everything one does to one section's words. What is typed is lost by none of it. */
export function useAmending(whose: Whose, section: SectionAnswer, locked = false): Amending {
  const stands: Stands = { text: section.text ?? "", revision: section.revision ?? 0 };
  const place = draftPlace(whose, section);
  const [unsaved, setUnsaved] = useDraft<Unsaved>(place);
  const [aside, setAside] = useDraft<Unsaved>(`${place} aside`);
  const [done, setDone] = useState<Done>();
  const [busy, setBusy] = useState(false);
  const [bothShown, showBoth] = useState(false);
  const found = typingOf(stands, unsaved);
  // One's own words may be read as standing before the answer that says so has come.
  const typing = busy && found === "stale" ? "typing" : found;
  const latest = useRef(unsaved);
  useEffect(() => {
    latest.current = unsaved;
  });

  const learn = async (now: Stands) => {
    const queryKey = ["api", sectionPath(whose, section.name)];
    await queryClient.cancelQueries({ queryKey });
    queryClient.setQueryData<SectionAnswer>(queryKey, (before) => before && { ...before, ...now });
    refresh();
  };

  const propose = async (wish: object, says: (revision: number) => string, sent?: string) => {
    if (busy || locked) return false;
    setBusy(true);
    const amended = async (now: Stands, publication?: PublicationOutcome) => {
      // What was written elsewhere at the same time follows at once: it stands, and what is typed on is older.
      const theirs = publication?.conflict && { text: publication.conflict.theirs, revision: now.revision + 1 };
      await learn(theirs ?? now);
      // As it is by now: one may have gone, come back and typed on while it was on its way.
      if (sent !== undefined) setUnsaved(afterSaving(readDraft<Unsaved>(place), sent, now));
      const { revision } = now;
      setDone({ kind: "amended", revision, before: stands.revision, says: says(revision), publication });
      showBoth(false);
    };
    try {
      const body = { section: section.name, user: whose.user, revision: stands.revision, ...wish };
      const answer = await sendJson<OutcomeAnswer>(`/agents/${encodeName(whose.agent)}/proposals`, body);
      if (answer.verdict === "held") {
        setDone({ kind: "held", id: answer.held ?? "" });
        if (sent !== undefined && readDraft<Unsaved>(place)?.text === sent) setUnsaved(undefined);
      } else if (answer.verdict === "unchanged") {
        if (sent !== undefined && readDraft<Unsaved>(place)?.text === sent) setUnsaved(undefined);
        setDone({ kind: "unchanged" });
      } else {
        const now = { text: answer.after, revision: answer.revision ?? stands.revision };
        await amended(now, answer.publication);
      }
    } catch (error) {
      const now = standsIn(error);
      if (now && sent !== undefined && standsAlready(now, sent)) await amended(now);
      else if (now && sent !== undefined) {
        await learn(now);
        showBoth(true);
      } else {
        if (now) await learn(now);
        setDone({ kind: "failed", problem: error as ApiProblem });
      }
      return false;
    } finally {
      setBusy(false);
    }
    return true;
  };

  const setAsideAndDrop = () => {
    if (unsaved && typing !== "clean") setAside(unsaved);
    setUnsaved(undefined);
    showBoth(false);
    setDone(undefined);
  };

  return {
    stands,
    unsaved,
    typing,
    text: unsaved?.text ?? stands.text,
    busy,
    locked,
    done,
    aside,
    bothShown: bothShown && typing === "stale",
    showBoth,
    type: (text) => {
      setUnsaved(typed(stands, latest.current, text));
      setDone(undefined);
    },
    giveReason: (reason) => setUnsaved(withReason(stands, unsaved, reason)),
    save: () => {
      if (!unsaved || typing === "clean") return;
      if (typing === "stale") return showBoth(true);
      const { text, revision, reason } = unsaved;
      const wish = { operation: { kind: "rewrite", content: text }, revision, reason };
      void propose(wish, (now) => `Saved as revision ${now}.`, text);
    },
    discard: setAsideAndDrop,
    bringBack: () => {
      setUnsaved(aside);
      setAside(undefined);
    },
    keepMine: () => {
      if (unsaved) setUnsaved({ ...unsaved, revision: stands.revision });
      showBoth(false);
    },
    goOnFrom: (text) => {
      setAsideAndDrop();
      if (text !== stands.text) setUnsaved({ text, revision: stands.revision });
    },
    revert: (to, reason) =>
      propose({ operation: { kind: "revert", to }, reason }, (now) =>
        to === 0
          ? `Back at the original, as revision ${now}.`
          : `Back at the text of revision ${to}, as revision ${now}.`,
      ),
    reset: (reason) =>
      propose({ operation: { kind: "reset" }, reason }, (now) => `Back at the original, as revision ${now}.`),
    dismiss: () => setDone(undefined),
    learn,
  };
}

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
