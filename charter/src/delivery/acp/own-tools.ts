import type { OwnToolUse } from "../model.ts";
import type { ToolTold } from "./session-update.ts";

type ToolState = Omit<OwnToolUse, "id" | "foreign"> & { readonly name: string | null; readonly input: unknown };

/** The tool calls an agent told of in a turn, put together from what it said of each. */
type ToolUses = {
  /** Takes what was told, and returns the use as it stands if it is news of a tool of the agent's own. */
  readonly tell: (id: string, told: ToolTold) => OwnToolUse | undefined;
  /** What is known of a call, with what a request for permission says of it. */
  readonly look: (id: string, told: ToolTold) => ToolState & { readonly isOurs: boolean };
};

/** `offered` are the names of our tools, which agents tell of as well: those are no tools of their own. */
export function createToolUses(offered: ReadonlySet<string>, foreign: boolean): ToolUses {
  const states = new Map<string, ToolState>();
  const merge = (id: string, told: ToolTold): ToolState => ({ ...(states.get(id) ?? unknownTool), ...told });
  return {
    tell: (id, told) => {
      const before = states.get(id);
      const state = merge(id, told);
      states.set(id, state);
      if (isOurs(state, offered) || (before !== undefined && sameUse(before, state))) return undefined;
      const { title, kind, status, paths } = state;
      return { id, title, kind, status, paths, foreign };
    },
    look: (id, told) => {
      const state = merge(id, told);
      return { ...state, isOurs: isOurs(state, offered) };
    },
  };
}

const unknownTool: ToolState = {
  title: "",
  kind: "other",
  status: "pending",
  paths: [],
  name: null,
  input: undefined,
};

function sameUse(one: ToolState, other: ToolState): boolean {
  return one.status === other.status && one.title === other.title && one.kind === other.kind;
}

/**
 * Is it one of ours, called through our server? Agents name it after the server in ways of their own. Only a whole name
 * counts, and no kind but “other”: the title of a command or a fetch may be anyone's words.
 */
function isOurs({ name, title, kind }: ToolState, offered: ReadonlySet<string>): boolean {
  if (kind !== "other") return false;
  const ourToolIn = (called: string) => {
    const found = ourName.exec(called);
    return [found?.[1] ?? found?.[2]].find((tool) => tool !== undefined && offered.has(tool));
  };
  if (name !== null && ourToolIn(name) !== undefined) return true;
  // A title may be anyone's words: it does not speak against the tool's name.
  const titled = ourToolIn(title);
  return titled !== undefined && (name === null || name === titled);
}

const ourName = /^(?:mcp__)?charter(?:__|[./: ])([\w.-]+)$|^([\w.-]+) \(charter MCP Server\)$/;
