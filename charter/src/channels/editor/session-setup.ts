import type { FileAccess } from "../../agent/workspace/files.ts";
import type { HostPlace } from "../../host/host-options.ts";
import type { Notice } from "../../prompt/reading.ts";

/** Asks whether a directory is trusted this once, with what it brings. */
type AskTrust = (lines: readonly string[]) => Promise<boolean>;

/** What an agent needs for one session of an editor, in the directory the session is for. */
export type SessionSetup = {
  /** Where it is asked. */
  readonly place: HostPlace;
  /** The directory it works in; nothing for an agent that works in none. */
  readonly root?: string;
  /** Asks, where the directory brings what nobody has trusted yet; what it brings is used from then on. */
  readonly settleTrust: (ask: AskTrust) => Promise<void>;
  /** What went wrong since this was last called. */
  readonly faults: () => readonly Notice[];
  readonly close: () => void;
};

/** Makes one for a directory. A Problem says why that cannot be. */
export type SetUpSession = (cwd: string, files: FileAccess | undefined) => Promise<SessionSetup>;
