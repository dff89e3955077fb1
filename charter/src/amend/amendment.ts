import type { Sha256 } from "../prompt/prompt.ts";
import type { Actor } from "../prompt/section.ts";
import type { Operation } from "./operation.ts";

/** The owner of a section's copy: an agent, or an agent for one user. */
export type Scope = { readonly agent: string; readonly user?: string };

/**
 * An accepted proposal as it is recorded, for good. It contains the digest of the amendment before it, so none can be
 * added, changed or removed unnoticed.
 */
export type Amendment = {
  readonly scope: Scope;
  readonly section: string;
  /** Number of this amendment in its section and scope, counted from 1. */
  readonly revision: number;
  readonly operation: Operation["kind"];
  readonly actor: Actor;
  readonly turn: string | null;
  readonly at: string;
  readonly reason: string | null;
  readonly before: string;
  readonly after: string;
  /** The digest of the previous amendment; for the first, the digest of the original. */
  readonly previous: string;
  readonly digest: string;
  /** The idempotency key it was sent with, if any: sent again with the same key, it is not made twice. */
  readonly key?: string;
};

export function createAmendment(facts: Omit<Amendment, "digest">, sha256: Sha256): Amendment {
  return { ...facts, digest: amendmentDigest(facts, sha256) };
}

/** An amendment with its texts as digests: it can still be proven when the texts themselves were erased. */
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

/** Digests every field in one fixed order, so that the same amendment always has the same digest. */
export function sealedDigest(sealed: SealedAmendment, sha256: Sha256): string {
  const { scope, section, revision, operation, actor, turn, at, reason, before, after, previous, key } = sealed;
  const facts = [[scope.agent, scope.user ?? null], section, revision, operation, actor, turn, at, reason];
  return sha256(JSON.stringify([...facts, before, after, previous, ...(key === undefined ? [] : [key])]));
}

/** The kinds of change to a section's text. */
export const operationKinds = ["append", "prepend", "replace_section", "rewrite", "reset", "revert"] as const;

/** A section's text as it is published outside the store: signed, under an id that never changes. */
export type Publication = {
  readonly id: string;
  /** Time in seconds since 1970. Of two publications the later one counts. */
  readonly createdAt: number;
  readonly body: string;
};

/** The result of a publication: published, waiting until a place takes it, or superseded by another's text. */
export type PublicationOutcome = {
  readonly id: string;
  readonly state: "published" | "waiting" | "superseded";
  /** The places that took the publication. */
  readonly taken: readonly string[];
  /** The places that did not, each with the reason. */
  readonly missed: readonly { readonly place: string; readonly reason: string }[];
  /** Ids of the text that was published in place of ours, and of ours, which is still in the history. */
  readonly conflict?: { readonly ours: string; readonly theirs: string; readonly id: string };
};

/** What is published of an amendment. */
export type PublishedAmendment = Pick<Amendment, "scope" | "section" | "revision" | "at" | "after">;

/** Makes a publication of each amendment, and sends it; for a section that is also kept elsewhere. */
export type Publisher = {
  /** Name of the place: other keys are another address. */
  readonly address: string;
  /** Makes the publication, in the transaction that records the amendment. `newest` is the latest `createdAt` known there. */
  readonly make: (amendment: PublishedAmendment, newest: number | undefined) => Publication;
  /** Sends what waits, called with its id after the commit. A publication that fails is sent later, with the same id. */
  readonly send: (id: string) => Promise<PublicationOutcome | undefined>;
};
