import { withoutTools } from "../../agent/bare-declaration.ts";
import type { Declaration } from "../../agent/declaration.ts";
import { createClientLayer } from "../../channels/client-layer.ts";
import type { ChatRequest } from "./chat-request.ts";

type Extend = (declaration: Declaration) => Declaration;

/** Makes the function that adds to an agent's declaration what its client brings; undefined where it brings nothing. */
export function extensionFor({ system, isOnce }: Pick<ChatRequest, "system" | "isOnce" | "tools">): Extend | undefined {
  const steps = [...(isOnce ? [bare] : []), ...(system === undefined ? [] : [layered(system)])];
  if (steps.length === 0) return undefined;
  const known = new WeakMap<Declaration, Declaration>();
  return (declaration) => {
    // The same object for the same declaration, so that what was made for it is used again.
    const extended = known.get(declaration) ?? steps.reduce((one, step) => step(one), declaration);
    known.set(declaration, extended);
    return extended;
  };
}

/** Leaves an agent its prompt alone: without tools nothing is looked up, remembered or changed. */
const bare: Extend = (declaration) => {
  const { tools: _tools, toolNotices: _notices, ...plain } = withoutTools(declaration);
  return plain;
};

function layered(words: string): Extend {
  const layer = createClientLayer({ words, field: "system message" }, "client");
  return (declaration) => {
    layer.check(declaration);
    return layer.extend(declaration);
  };
}
