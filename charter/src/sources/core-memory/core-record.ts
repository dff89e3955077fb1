import type { PublicationOutcome } from "../../amend/amendment.ts";
import type { MemoryHead } from "./finding.ts";
import type { KnownMemory } from "./reconcile.ts";

/** An event of ours that waits, as it was signed. */
export type WaitingEvent = {
  readonly id: string;
  readonly createdAt: number;
  readonly text: string;
  readonly body: string;
  /** How often it was tried in vain. */
  readonly tries: number;
  /** When it is to be tried again; now, where nothing is said. */
  readonly nextTryAt: string | null;
};

/** What became of an event of ours: it stands, or another's does. */
export type SettledEvent = Pick<PublicationOutcome, "taken" | "missed"> & {
  readonly state: "published" | "superseded";
  /** The event that stands. */
  readonly by: MemoryHead;
};

/** What is on record; `isOfKey`: the current text was seen at this address or waits to go there, and is no other key's. */
export type RecordedMemory = KnownMemory & {
  /** With the event as it was signed. */
  readonly seen: (NonNullable<KnownMemory["seen"]> & { readonly body?: string | null }) | undefined;
  readonly waiting: WaitingEvent | undefined;
  readonly standing: KnownMemory["standing"] & { readonly isOfKey: boolean };
};

/** What an agent's core memory is on record with: the store's part of it, by the address of its events. */
export type CoreRecord = {
  readonly known: (address: string) => Promise<RecordedMemory>;
  /** Makes a text that stands elsewhere the current one. `stale`: the record has moved on since `base`. */
  readonly adopt: (
    text: string,
    about: { readonly base: number; readonly reason: string },
  ) => Promise<{ readonly revision: number } | { readonly refused: string } | "stale">;
  /** Whether a text was ever the current one. */
  readonly holds: (text: string) => Promise<boolean>;
  /** Whether the key of this address is known to be new: it was made here, or the operator has said so. */
  readonly isBorn: (address: string) => Promise<boolean>;
  readonly noteBirth: (address: string) => Promise<void>;
  readonly noteSeen: (address: string, head: MemoryHead | "unreadable") => Promise<void>;
  readonly settle: (id: string, how: SettledEvent) => Promise<void>;
  /** What its sender was told of an event that is settled, whoever settled it. */
  readonly noteSent: (id: string, told: Pick<PublicationOutcome, "taken" | "missed">) => Promise<void>;
  /** What became of an event of ours, whoever settled it. `ours`: its words, where another's event stands instead. */
  readonly outcome: (
    id: string,
  ) => Promise<(Omit<PublicationOutcome, "conflict"> & { readonly ours?: string }) | undefined>;
  /** No relay has it yet: it is tried again then. */
  readonly retryAt: (id: string, missed: PublicationOutcome["missed"], at: Date) => Promise<void>;
};
