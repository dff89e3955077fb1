import type { ToolCall } from "../../../delivery/model.ts";
import type { Hooks } from "../../hook.ts";
import type { Tool } from "../../tool.ts";
import type { Toolset } from "../../toolset.ts";
import type { AskMode } from "../asking/ask-mode.ts";

/** So many calls run at once at most: a model may ask for hundreds of files. */
export const mostAtOnce = 8;

type Calling = {
  readonly ask: AskMode;
  readonly toolset: Pick<Toolset, "byName">;
  readonly hooks: Pick<Hooks, "hears">;
};

/**
 * The calls of an answer, in order, in groups that run side by side: readers that stand next to each other. A group begins
 * when the one before it is done. So what a group brought taints those after it, and what writes comes neither before nor
 * after its time.
 */
export function callGroups(calls: readonly ToolCall[], { ask, toolset, hooks }: Calling): ToolCall[][] {
  // A hook sees one call after the other, and a person who is asked before each does, too.
  const isWatched = hooks.hears("before-tool") || hooks.hears("after-tool") || ask === "always";
  const mayShare = ({ name }: ToolCall) => !isWatched && isReader(toolset.byName.get(name));
  const groups: ToolCall[][] = [];
  let open: ToolCall[] | undefined;
  for (const call of calls) {
    const shares = mayShare(call);
    if (open && shares && open.length < mostAtOnce) open.push(call);
    else {
      const group = [call];
      groups.push(group);
      open = shares ? group : undefined;
    }
  }
  return groups;
}

/** One that a person may have to approve, or that may be called so often, is judged by the calls before it. */
function isReader(tool: Tool | undefined): boolean {
  return tool?.reads === true && !tool.sensitive && tool.callsPerTurn === undefined;
}
