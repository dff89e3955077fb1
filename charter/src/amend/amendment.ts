import type { Sha256 } from "../prompt/prompt.ts";
import type { Actor } from "../prompt/section.ts";
import type { Operation } from "./operation.ts";

/** Whose copy of a section is meant: the agent's own, or the agent's for one user. */
export type Scope = { readonly agent: string; readonly user?: string };

/**
 * An accepted proposal as it is recorded, for good. It contains the digest of the amendment before it, so none can be
 * added, changed or removed unnoticed.
 */
export type Amendment = {
  readonly scope: Scope;
  readonly section: string;
  /** Counts the amendments of this section in this scope, from 1. */
  readonly revision: number;
  readonly operation: Operation["kind"];
  readonly actor: Actor;
  readonly turn: string | null;
  readonly at: string;
  readonly reason: string | null;
  readonly before: string;
  readonly after: string;
  /** The digest of the amendment before it; of the original, for the first. */
  readonly previous: string;
  readonly digest: string;
  /** The idempotency key it was sent with, if any: sent again with the same key, it is not made twice. */
  readonly key?: string;
};

export function createAmendment(facts: Omit<Amendment, "digest">, sha256: Sha256): Amendment {
  return { ...facts, digest: amendmentDigest(facts, sha256) };
}

/** An amendment with its words as digests: what is left to prove it by when the words themselves were erased. */
type SealedAmendment = Omit<Amendment, "digest">;

export function seal(amendment: Omit<Amendment, "digest">, sha256: Sha256): SealedAmendment {
  const { before, after, reason } = amendment;
  return {
    ...amendment,
    before: sha256(before),
    after: sha256(after),
    reason: reason === null ? null : sha256(reason),
  };
}

export function amendmentDigest(amendment: Omit<Amendment, "digest">, sha256: Sha256): string {
  return sealedDigest(seal(amendment, sha256), sha256);
}

/** Every field in one settled order, so that the same amendment always has the same digest. */
export function sealedDigest(sealed: SealedAmendment, sha256: Sha256): string {
  const { scope, section, revision, operation, actor, turn, at, reason, before, after, previous, key } = sealed;
  const facts = [[scope.agent, scope.user ?? null], section, revision, operation, actor, turn, at, reason];
  return sha256(JSON.stringify([...facts, before, after, previous, ...(key === undefined ? [] : [key])]));
}

/** What can be done with a section's text. */
export const operationKinds = ["append", "prepend", "replace_section", "rewrite", "reset", "revert"] as const;

/** A section's text as it goes out to where it is kept besides the store: signed, under an id that never changes. */
export type Publication = {
  readonly id: string;
  /** Seconds since 1970. The later of two counts. */
  readonly createdAt: number;
  readonly body: string;
};

/** What became of a publication: it stands, it waits until a place takes it, or another's stands instead. */
export type PublicationOutcome = {
  readonly id: string;
  readonly state: "published" | "waiting" | "superseded";
  /** The places that took it. */
  readonly taken: readonly string[];
  /** Those that did not, and why. */
  readonly missed: readonly { readonly place: string; readonly reason: string }[];
  /** Another's text that stands instead, and ours, which is still in the history. */
  readonly conflict?: { readonly ours: string; readonly theirs: string; readonly id: string };
};

/** For a section that is also kept elsewhere: makes what goes out with an amendment, and sends it. */
export type Publisher = {
  /** Names the place: other keys are another address. */
  readonly address: string;
  /** Called in the transaction that records the amendment. `newest`: the latest `createdAt` that is known there. */
  readonly make: (amendment: Amendment, newest: number | undefined) => Publication;
  /** Called with its id when that is committed: sends what waits. Where it fails, it is sent later, with the same id. */
  readonly send: (id: string) => Promise<PublicationOutcome | undefined>;
};
