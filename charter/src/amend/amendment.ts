import type { Actor } from "../prompt/mutability.ts";
import type { Sha256 } from "../prompt/prompt.ts";
import type { Operation } from "./operation.ts";

/** Whose copy: an agent's, or an agent's for one user. */
export type Scope = { readonly agent: string; readonly user?: string };

/** An accepted proposal, recorded for good. It carries the digest of the one before it, so none can be slipped in. */
export type Amendment = {
  readonly scope: Scope;
  readonly section: string;
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
};

export function createAmendment(facts: Omit<Amendment, "digest">, sha256: Sha256): Amendment {
  return { ...facts, digest: amendmentDigest(facts, sha256) };
}

/** Every field in one settled order, so that the same amendment always has the same digest. */
export function amendmentDigest(amendment: Omit<Amendment, "digest">, sha256: Sha256): string {
  const { scope, section, revision, operation, actor, turn, at, reason, before, after, previous } = amendment;
  const scopeFields = [scope.agent, scope.user ?? null];
  return sha256(
    JSON.stringify([
      scopeFields,
      section,
      revision,
      operation,
      actor,
      turn,
      at,
      reason,
      sha256(before),
      sha256(after),
      previous,
    ]),
  );
}
