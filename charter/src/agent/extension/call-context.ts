import type { Notice } from "../../prompt/notice.ts";
import type { AddedMessage } from "./added-message.ts";

/** Where code of an extension runs: at an event, or in a tool, of one turn. */
type CallContext = {
  readonly turn: string;
  readonly user: string | undefined;
  /** As it is told: “tool_call”, “the tool todo”. */
  readonly where: string;
  readonly notice: (notice: Notice) => void;
};

/** A turn from the moment its prompt is known until it ends. */
type OpenTurn = {
  readonly user: string | undefined;
  prompt: string;
  /** What extensions added to its input. */
  readonly added: AddedMessage[];
  /** What its tools gave cause to say, until a hook can say it. */
  readonly notices: Notice[];
  /** What results of calls say besides their text, by the call's id. */
  readonly details: Map<string, unknown>;
};

export type CallContexts = {
  readonly within: <Result>(occasion: CallContext, work: () => Result) => Result;
  /** Where the code that asks runs, also after it waited for something; undefined outside a turn's hooks and tools. */
  readonly current: () => CallContext | undefined;
  readonly turns: Map<string, OpenTurn>;
};

export function createCallContexts(): CallContexts {
  const { AsyncLocalStorage } = process.getBuiltinModule("node:async_hooks");
  const storage = new AsyncLocalStorage<CallContext>();
  return {
    within: (occasion, work) => storage.run(occasion, work),
    current: () => storage.getStore(),
    turns: new Map(),
  };
}
