import type { Mutation } from "./mutation.ts";

const outage = ["test/agent/turns/failover.test.ts"];
const faults = ["test/delivery/faults.test.ts"];
const sideBySide = ["test/agent/turns/side-by-side.test.ts", "src/agent/turn/calls/call-groups.test.ts"];

/** A second model on an outage, and calls that run side by side. */
export const failover: readonly Mutation[] = [
  {
    name: "failover-for-anything",
    file: "agent/turn/model-problem.ts",
    find: 'return code !== "model-aborted" && (code !== "model-rejected" || outage === true);',
    replace: 'return code !== "model-aborted";',
    noticedBy: outage,
  },
  {
    name: "failover-key-is-no-outage",
    file: "delivery/models/fault.ts",
    find: "if ([401, 402, 403, 404].includes(statusCode)) return true;",
    replace: "",
    noticedBy: faults,
  },
  {
    name: "failover-faults-lost",
    file: "agent/turn/session/failover.ts",
    find: "if (running.progress.step > 0)",
    replace: "if (running.progress.step > 99)",
    noticedBy: outage,
  },
  {
    name: "failover-all-retries-first",
    file: "agent/turn/ask.ts",
    find: "const most = next.length === 0 ? limits.retries : Math.min(limits.retries, beforeNext.retries);",
    replace: "const most = limits.retries;",
    noticedBy: outage,
  },
  {
    name: "failover-native-of-another",
    file: "agent/turn/session/change-receiver.ts",
    find: "if (progress.inputAdded && ours) progress.messages = ours.messages;",
    replace: "",
    noticedBy: outage,
  },
  {
    name: "failover-session-forgets",
    file: "agent/turn/session/failover.ts",
    find: "if (sent.standsInFor !== deps.model.receiver.name) return deps;",
    replace: "return deps;",
    noticedBy: outage,
  },
  {
    name: "failover-session-keeps-who-failed",
    file: "agent/turn/end-turn.ts",
    find: 'const nobody = session.standsInFor !== null && "problem" in ending && isOutage(ending.problem);',
    replace: "const nobody = false;",
    noticedBy: outage,
  },
  {
    name: "failover-summary-given-up",
    file: "agent/turn/window/compaction.ts",
    find: "    if (isOutage(error) && deps.next.length > 0) throw error;\n",
    replace: "",
    noticedBy: outage,
  },
  {
    name: "reads-with-writes",
    file: "agent/turn/calls/call-groups.ts",
    find: "open = shares ? group : undefined;",
    replace: "open = group;",
    noticedBy: sideBySide,
  },
  {
    name: "reads-one-by-one",
    file: "agent/turn/calls/call-groups.ts",
    find: "if (open && shares && open.length < mostAtOnce) open.push(call);",
    replace: "if (open && shares && open.length < 1) open.push(call);",
    noticedBy: sideBySide,
  },
  {
    name: "reads-sensitive-together",
    file: "agent/turn/calls/call-groups.ts",
    find: "return tool?.reads === true && !tool.sensitive && tool.callsPerTurn === undefined;",
    replace: "return tool?.reads === true;",
    noticedBy: sideBySide,
  },
];
