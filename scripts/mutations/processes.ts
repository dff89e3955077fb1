import type { Mutation } from "./mutation.ts";

const line = ["test/service/lifeline.test.ts"];
const again = ["test/service/told/told-again.test.ts"];
const ends = ["test/service/told/told-to-end.test.ts"];
const twice = ["test/service/told/told-twice.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** Processes: who hears of a signal, how often, and who notices that another is gone. */
export const processes: readonly Mutation[] = [
  {
    name: "signal-kept-from-child",
    file: "../bin/child.js",
    find: "      tell(signal);\n",
    replace: "",
    noticedBy: ends,
  },
  {
    name: "signal-not-told",
    file: "../bin/child.js",
    find: "      lifeline.write(`${signal}\\n`);\n",
    replace: "",
    noticedBy: line,
  },
  {
    name: "signal-echo",
    file: "../bin/hearing.js",
    find: "one.signal === signal && one.way !== way",
    replace: "one.signal === signal && one.way === 0",
    noticedBy: twice,
  },
  {
    name: "signal-of-any-name",
    file: "../bin/hearing.js",
    find: "one.signal === signal && one.way !== way",
    replace: "one.way !== way",
    noticedBy: twice,
  },
  {
    name: "signal-echo-for-ever",
    file: "../bin/hearing.js",
    find: "while (alone.length > 0 && now - alone[0].at > atMost) alone.shift();",
    replace: "",
    noticedBy: twice,
  },
  {
    name: "parent-gone-again",
    file: "../bin/hearing.js",
    find: 'if (!asked) act("SIGTERM");',
    replace: 'act("SIGTERM");',
    noticedBy: twice,
  },
  {
    name: "parent-gone-after-answer",
    file: "../bin/hearing.js",
    find: 'asked ||= signal !== "SIGINT";',
    replace: "asked = true;",
    noticedBy: twice,
  },
  {
    name: "parent-gone-unnoticed",
    file: "../bin/lifeline.js",
    find: 'line.on("close", () => hearing.parentGone());',
    replace: "",
    noticedBy: line,
  },
  {
    name: "lifeline-handed-down",
    file: "../bin/lifeline.js",
    find: "delete process.env.CHARTER_LIFELINE;",
    replace: "",
    noticedBy: line,
  },
  {
    name: "lifeline-not-answered",
    file: "../bin/child.js",
    find: "unanswered = setTimeout(() => child.kill(signal), patience);",
    replace: "",
    noticedBy: line,
  },
  {
    name: "npm-gone-unnoticed",
    file: "../bin/parent.js",
    find: "(npm === undefined || parentOf(parent) === npm)",
    replace: "true",
    noticedBy: line,
  },
  {
    name: "shell-gone-unnoticed",
    file: "../bin/parent.js",
    find: "process.ppid === parent && ",
    replace: "",
    noticedBy: line,
  },
  {
    name: "background-ended",
    file: "../bin/parent.js",
    find: 'return fstatSync(0).rdev === statSync("/dev/null").rdev;',
    replace: "return false;",
    noticedBy: line,
  },
  {
    name: "nohup-hung-up",
    file: "../bin/signals.js",
    find: 'return /(?:^|\\/)nohup$/.test(env._ ?? "");',
    replace: "return false;",
    noticedBy: again,
  },
  {
    name: "end-without-signal",
    file: "../bin/signals.js",
    find: "  if (signal) process.kill(process.pid, signal);\n",
    replace: "",
    noticedBy: again,
  },
  {
    name: "process-1-deaf",
    file: "../bin/charter.js",
    find: "else if (process.pid === 1) await runOn(process.execPath);",
    replace: "",
    noticedBy: line,
  },
  {
    name: "second-signal-waits",
    file: "cli/serve/until-stopped.ts",
    find: "if (asked !== undefined) process.exit(128 + numberOf(signal));",
    replace: "if (asked !== undefined) return;",
    noticedBy: again,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
