import type { AskMode } from "../../agent/turn/ask-reason.ts";
import type { Host } from "../../host/host.ts";
import type { SetUpSession } from "./session-setup.ts";

/** What an editor talks to: one agent of a host, for one user. */
export type EditorOptions = {
  readonly host: Host;
  readonly agent: string;
  readonly user: string;
  /** The mode that sessions begin in; unless given, that of whoever works in files is to ask before changes. */
  readonly ask?: AskMode | undefined;
  readonly setUp: SetUpSession;
};
