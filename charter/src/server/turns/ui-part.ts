import { askedOf, askedText, knownKind } from "../../agent/turn/permission.ts";
import type { AgentEvent } from "../../agent/turn-interface.ts";
import { outcomeFacts } from "../../amend/amend.ts";
import type { ToolCall } from "../../delivery/model.ts";
import type { UiData } from "./ui-chunk.ts";

type Proposed = Extract<AgentEvent, { kind: "proposed" }>;

/** Notices that are for whoever reads the answer; the others are about the operator's host. */
export const readerNotices: ReadonlySet<string> = new Set(["answer-cut", "compacted", "session-new", "own-words"]);

/**
 * What happened in a turn besides the answer, as a part of the message. `everything`: an operator watches. A user sees
 * that a section changed, and the words only of what is theirs.
 */
export function uiPartOf(event: AgentEvent, forOperator: boolean): UiData | undefined {
  switch (event.kind) {
    case "proposed":
      return proposalPart(event, forOperator);
    case "tool-held":
      return {
        type: "data-held",
        id: event.held,
        data: { held: event.held, what: "call", ...calledFacts(event.call) },
      };
    case "own-tool": {
      const { id, title, kind, status, paths } = event.use;
      const data = forOperator ? { title, kind, status, paths } : { kind: knownKind(kind), status };
      return { type: "data-own-tool", id, data };
    }
    case "permission": {
      const { kind, title, paths } = event.asked;
      const held = event.held === undefined ? {} : { held: event.held };
      const words = forOperator ? { kind, asks: askedText(event.asked), title, paths } : { kind: knownKind(kind) };
      return { type: "data-permission", data: { answer: event.answer, ...held, ...words } };
    }
    case "tainted":
      return { type: "data-notice", data: { code: "tainted", message: event.reason } };
    case "notice":
      return forOperator || readerNotices.has(event.notice.code)
        ? { type: "data-notice", data: event.notice }
        : undefined;
    case "hook-failed": {
      const message = `The hook “${event.hook}” failed at ${event.moment}: ${event.reason}.`;
      return forOperator ? { type: "data-notice", data: { code: event.kind, message } } : undefined;
    }
    case "retry": {
      const because = forOperator ? { because: event.fault.message } : {};
      const data = { attempt: event.attempt + 1, waitMs: event.waitMs, ...because };
      return { type: "data-retry", data, transient: true };
    }
    case "compacted": {
      const { turns, before, after, leftOut } = event;
      const data = { turns, before, after, ...(leftOut ? { leftOut } : {}) };
      return { type: "data-compacted", data, transient: true };
    }
    case "step-start": {
      const { prefixChange, step } = event;
      const untold = !forOperator || prefixChange.how === "kept" || prefixChange.how === "opened";
      return untold ? undefined : { type: "data-prompt", data: { step, ...prefixChange }, transient: true };
    }
    default:
      return undefined;
  }
}

function proposalPart({ section, outcome }: Proposed, everything: boolean): UiData {
  const { diff, refusals, held } = outcomeFacts(outcome, section);
  const words = everything || isOwn(outcome) ? { diff } : {};
  const quote = outcome.quote && everything ? { quote: outcome.quote } : {};
  if (outcome.verdict === "accepted") {
    const { revision } = outcome;
    return { type: "data-amendment", id: `${section}@${revision}`, data: { section, revision, ...words, ...quote } };
  }
  if (outcome.verdict === "unchanged") {
    const message = `“${section}” says exactly this already: nothing was changed.`;
    return { type: "data-notice", data: { code: "unchanged", message } };
  }
  if (outcome.verdict === "refused") return { type: "data-refusal", data: { section, refusals } };
  const data = { held, what: "proposal", section, refusals, ...words, ...quote };
  return { type: "data-held", ...(held === undefined ? {} : { id: held }), data };
}

/** Whether what was proposed is one user's own words, as far as is known: what is held has no amendment yet. */
export function isOwn({ amendment }: Proposed["outcome"]): boolean {
  return amendment?.scope.user !== undefined;
}

function calledFacts({ name, input }: ToolCall) {
  const called = { tool: name, input: jsonIn(input) };
  const asks = askedOf(called);
  return asks === undefined ? called : { ...called, asks };
}

/** What a model or a tool wrote, as JSON where it is some. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
