import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sha256 } from "../../../prompt/prompt.ts";
import type { IdentitySlot, Message } from "../../model.ts";
import type { SeenHistory } from "../history-sync.ts";
import { objectOf } from "../slot.ts";

/** A session that an agent had with us before its process, or ours, was started again. */
export type PreviousSession = {
  /** The agent, as `acp/<name>`. */
  readonly name: string;
  /** The agent's own id of it. */
  readonly session: string;
  readonly slot: IdentitySlot;
  /** The digest of the identity it was given. */
  readonly identity: string;
  readonly seen: SeenHistory;
  readonly turns: number;
  readonly dollars: number;
};

/** What an answer keeps of the session it was given in; it comes back with the history. */
export function nativeOf(previous: PreviousSession): { readonly acp: PreviousSession } {
  return { acp: previous };
}

/** The session of the last answer in a history, if that was one of an agent over ACP. */
export function previousIn(history: readonly Message[]): PreviousSession | undefined {
  const last = history.findLast((message) => message.role === "assistant");
  const { name, session, slot, identity, seen, turns, dollars } = objectOf(objectOf(last?.native).acp);
  const { messages, digest } = objectOf(seen);
  const texts = [name, session, slot, identity, digest];
  const numbers = [messages, turns, dollars];
  if (!texts.every((one) => typeof one === "string") || !numbers.every((one) => typeof one === "number"))
    return undefined;
  return { name, session, slot, identity, seen: { messages, digest }, turns, dollars } as PreviousSession;
}

/**
 * Says, across restarts, what an agent's session has been told: nothing while a prompt is under way. So one whose turn was
 * cut off, or that has gone on without us, is never opened again as if nothing had been.
 */
export type SeenFiles = {
  readonly has: (session: string, seen: SeenHistory) => boolean;
  readonly keep: (session: string, seen: SeenHistory) => void;
  readonly drop: (session: string) => void;
};

export function createSeenFiles(folder: string, sha256: Sha256): SeenFiles {
  const fileOf = (session: string) => join(folder, sha256(session));
  return {
    has: (session, { digest }) => {
      try {
        return readFileSync(fileOf(session), "utf8") === digest;
      } catch {
        return false;
      }
    },
    keep: (session, { digest }) => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(fileOf(session), digest, { mode: 0o600 });
      } catch {
        // It has been answered: all that is lost is that the session can be opened again.
      }
    },
    drop: (session) => rmSync(fileOf(session), { force: true }),
  };
}
