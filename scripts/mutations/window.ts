import type { Mutation } from "./mutation.ts";

const long = ["test/agent/turns/long-history.test.ts"];

/** Staying within what a model takes: what is summed up, shortened and read on. */
export const withinWindow: readonly Mutation[] = [
  {
    name: "window-own-steps",
    file: "agent/turn/window/compaction.ts",
    find: "const all: readonly Stretch[] = [...session.stretches, ...own.steps];",
    replace: "const all: readonly Stretch[] = [...session.stretches];",
    noticedBy: long,
  },
  {
    name: "window-input-kept",
    file: "agent/turn/window/compaction.ts",
    find: "running.progress.messages = [...own.opening, ...messagesOf(later)];",
    replace: "running.progress.messages = [...messagesOf(later)];",
    noticedBy: long,
  },
  {
    name: "window-step-elsewhere",
    file: "delivery/history.ts",
    find: "turn.steps.filter(({ step }) => step > (summary.step ?? 0))",
    replace: "turn.steps",
    noticedBy: long,
  },
  {
    name: "window-refused",
    file: "agent/turn/window/within-window.ts",
    find: "return fault?.code === code && fault.tooLong ? fault : undefined;",
    replace: "return undefined;",
    noticedBy: long,
  },
  {
    name: "window-summary-cut",
    file: "agent/turn/window/summary-room.ts",
    find: "session.baseline = { ...baseline, summary: { ...summary, text } };",
    replace: "",
    noticedBy: ["src/agent/turn/window/summary-room.test.ts"],
  },
  {
    name: "window-other-conversation",
    file: "agent/turn/window/read-result.ts",
    find: "if (!other || other.session !== session || session === null) return undefined;",
    replace: "if (!other) return undefined;",
    noticedBy: long,
  },
  {
    name: "window-offered",
    file: "agent/turn/window/read-result.ts",
    find: "if (!isNeeded(messagesOf(session.stretches)) && !isNeeded(progress.messages)) return toolset.offers;\n",
    replace: "",
    noticedBy: long,
  },
  {
    name: "window-shortened",
    file: "agent/turn/window/shortened-result.ts",
    find: "if (count <= room || result.name === readResultName) return result;",
    replace: "return result;",
    noticedBy: long,
  },
];
