import type { Provider } from "./cache-rules.ts";
import type { Block, Request } from "./cache-sim.ts";
import type { Call } from "./talk.ts";
import type { Trace, Turn } from "./trace.ts";

/** A way of turning what happens into requests: one for each step of each turn, in order. */
export type Strategy = (trace: Trace, provider: Provider) => readonly Request[] | Promise<readonly Request[]>;

/** What a strategy decides for a turn. All of it but `said` is sent with every step. */
export type Layout = {
  readonly system: string;
  /** Once, before the turn's input; history from there on. */
  readonly said?: readonly string[];
  /** After the history. */
  readonly tail?: string;
  /** A mark after the tools as well; one after the system words and one after the history there always are. */
  readonly toolsMarked: boolean;
};

export function layOut(trace: Trace, layoutOf: (turn: Turn) => Layout): Request[] {
  const tools = toolsBlock(trace.tools);
  const history: Block[] = [];
  return trace.turns.flatMap((turn) => {
    const { system, said = [], tail, toolsMarked } = layoutOf(turn);
    const before = [toolsMarked ? marked(tools) : tools, marked(systemBlock(system))];
    const after = tail === undefined ? [] : [tailBlock(tail)];
    const request = (): Request => [...before, ...history.slice(0, -1), ...history.slice(-1).map(marked), ...after];
    history.push(...said.map(updateBlock), inputBlock(turn.input));
    const requests = [request()];
    for (const call of turn.calls) {
      history.push(callBlock(call), resultBlock(call.output));
      requests.push(request());
    }
    history.push(replyBlock(turn.reply));
    return requests;
  });
}

export function marked(block: Block): Block {
  return { ...block, cacheBreakpoint: true };
}

export function toolsBlock(offers: readonly object[]): Block {
  return { id: "tools", role: "tools", text: JSON.stringify(offers) };
}

export function systemBlock(text: string): Block {
  return { id: "system", role: "system", text };
}

export function updateBlock(text: string): Block {
  return { id: "update", role: "system", text };
}

export function inputBlock(text: string): Block {
  return { id: "input", role: "user", text };
}

export function callBlock({ name, input }: Pick<Call, "name" | "input">): Block {
  return { id: "call", role: "assistant", text: `${name} ${input}` };
}

export function resultBlock(text: string): Block {
  return { id: "result", role: "user", text };
}

export function replyBlock(text: string): Block {
  return { id: "reply", role: "assistant", text };
}

export function tailBlock(text: string): Block {
  return { id: "tail", role: "system", text, tail: true };
}
