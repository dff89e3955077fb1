import type { AskOptions, OwnToolUse, ToolCall, ToolResult } from "../../../delivery/model.ts";
import { firstCharacters } from "../../../prompt/character.ts";
import { reasonOf } from "../../../prompt/problem.ts";
import type { AgentDeps } from "../agent-deps.ts";
import { foreignText } from "../asking/ask-reason.ts";
import { runCall } from "../calls/call.ts";
import { createActs } from "../calls/step-acts.ts";
import { turnPrompt } from "../turn-prompt.ts";
import { enterPhase, type TurnState, taint } from "../turn-state.ts";
import { decidePermission } from "./permission.ts";

/** What a receiver may do while it answers, and a way to say that it has answered: later calls come too late. */
export type WhileAnswering = Required<Pick<AskOptions, "onCall" | "onOwnTool" | "onPermission">> & {
  readonly onDraft: (text: string) => void;
  /** Nothing more is taken. Resolves when all that was begun is on record. */
  readonly close: () => Promise<void>;
};

/**
 * For a receiver that calls tools while it answers: each call is judged, held and recorded as in any turn, one after the
 * other, the intent before it runs and the result after.
 */
export function actWhileAnswering(deps: AgentDeps, running: TurnState): WhileAnswering {
  const { who, progress } = running;
  const acts = createActs(deps, running, undefined, () => text);
  const uses = new Map<string, OwnToolUse>();
  let text = "";
  let over = false;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
  const runOne = async (call: ToolCall): Promise<ToolResult> => {
    const not = acts.begin(call);
    await acts.save();
    // What a call before it changed is what this one is judged by.
    if (acts.calls.length > 1) await turnPrompt(deps, running);
    enterPhase(running, "ExecutingActions");
    const result = not ? acts.refuse(call, not) : acts.keep(await runCall(deps, running, call));
    await acts.save();
    who.emit({ kind: "tool-result", result });
    enterPhase(running, "Inferring");
    return result;
  };
  return {
    onDraft: (delta) => {
      text += delta;
    },
    onCall: (call) =>
      inTurn(async () => {
        if (over) return failedResult(call, "Not run: the turn is over.");
        try {
          return await runOne(call);
        } catch (error) {
          // The turn was erased, or its store is out of reach: nothing more is run in it.
          over = true;
          return failedResult(call, `Not run: ${reasonOf(error)}`);
        }
      }),
    onOwnTool: (given) => {
      if (over) return;
      const use = keptUse(given);
      if (uses.size < maxUses || uses.has(use.id)) uses.set(use.id, use);
      const ownTools = [...uses.values()].map(({ foreign: _, ...one }) => one);
      progress.stepResult = { ...progress.stepResult, ownTools };
      who.emit({ kind: "own-tool", use });
      if (!use.foreign) return;
      const wasTainted = progress.tainted;
      const says = "the agent used a tool of its own, and what that read is not known here";
      // Whoever the turn is for is told this; which tool it was, not everyone is.
      taint(
        running,
        "The agent used a tool of its own: what that read is not known here.",
        foreignText(says, who.id, use.id),
      );
      if (wasTainted) return;
      // If nobody comes back to this turn, that much is known.
      inTurn(acts.save).catch(() => {});
    },
    onPermission: async (asked) => {
      if (over || who.signal.aborted) return "deny";
      try {
        return await decidePermission(deps, running, asked);
      } catch {
        return "deny";
      }
    },
    close: async () => {
      over = true;
      await last;
    },
  };
}

const maxUses = 200;

/** As it is kept and shown: a receiver may send anything. */
function keptUse({ id, title, kind, status, paths, foreign }: OwnToolUse): OwnToolUse {
  const line = (words: string, most: number) =>
    firstCharacters(words.toWellFormed().replace(/\p{Cc}+/gu, " "), most).trim();
  return {
    ...{ id: line(id, 200), title: line(title, 300), kind: line(kind, 40), status, foreign },
    paths: paths.slice(0, 20).map((path) => line(path, 500)),
  };
}

function failedResult({ id, name }: ToolCall, output: string): ToolResult {
  return { call: id, name, output, failed: true };
}
