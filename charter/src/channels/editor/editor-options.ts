import type { AskMode } from "../../agent/turn/asking/ask-mode.ts";
import type { Model } from "../../delivery/model.ts";
import type { Store } from "../../store/store.ts";
import type { SetUpSession } from "./session-setup.ts";

/** What an editor talks to: one agent of a store, for one user. */
export type EditorOptions = {
  readonly store: Store;
  readonly agent: string;
  readonly user: string;
  /** For users whose zone nobody said. */
  readonly zone: string;
  readonly model: Model;
  /** The models that are asked on an outage of it, and how they are loaded. */
  readonly fallbacks?: readonly string[];
  readonly loadModel?: (name: string) => Promise<Model>;
  /** The most tokens it takes, where that was set. */
  readonly window?: number | undefined;
  /** The mode that sessions begin in; unless given, that of whoever works in files is to ask before changes. */
  readonly ask?: AskMode | undefined;
  readonly setUp: SetUpSession;
};
