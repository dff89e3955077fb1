import type { Amendment } from "./amendment.ts";

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
