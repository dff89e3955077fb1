import type { Mutation } from "./mutation.ts";

const phases = ["test/agent/turns/phase.test.ts"];
const life = ["test/host/life.test.ts"];
const inbox = ["src/agent/tools/inbox.test.ts"];
const survival = ["src/agent/survival/survival.test.ts"];
const now = ["test/scenarios/sovereign-now.test.ts"];
const fit = ["src/prompt/fit.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** An agent that lives: what it is told, whose notes it keeps, whom it answers, and what it lives on. */
export const agentLife: readonly Mutation[] = [
  {
    name: "phase-of-proposals",
    file: "agent/turn/tool-context.ts",
    find: "turn: { tainted, amendments: 0, state: phase }",
    replace: 'turn: { tainted, amendments: 0, state: "ExecutingActions" }',
    noticedBy: phases,
  },
  {
    name: "phase-of-tools",
    file: "agent/turn/approved-calls.ts",
    find: 'enterPhase(running, "ExecutingActions");',
    replace: "",
    noticedBy: phases,
  },
  {
    name: "turn-limits-widen",
    file: "agent/turn/declared-limits.ts",
    find: "working.limits, asked));",
    replace: "working.limits, {}));",
    noticedBy: phases,
  },
  {
    name: "turn-foreign",
    file: "agent/turn/begin-turn.ts",
    find: `if (asked.foreign) taint(running, "The turn was asked with other people's words.");`,
    replace: "",
    noticedBy: phases,
  },
  {
    name: "cuts-counted-twice",
    file: "prompt/giving-way.ts",
    find: 'const countsShort = rule.to === "short" || !others.some(({ to }) => to === "short");',
    replace: "const countsShort = true;",
    noticedBy: fit,
  },
  {
    name: "cuts-gone-are-short",
    file: "prompt/giving-way.ts",
    find: 'const countsGone = rule.to === "short" ? () => false : goneCountedBy(rule, rules, others);',
    replace: "const countsGone = goneCountedBy(rule, rules, others);",
    noticedBy: fit,
  },
  {
    name: "cuts-said-twice",
    file: "prompt/giving-way.ts",
    find: "(owners.get(index) ?? firstGroup)[0] === rule",
    replace: "(owners.get(index) ?? firstGroup).includes(rule)",
    noticedBy: fit,
  },
  {
    name: "edition-of-settings",
    file: "agent/turn/declared-limits.ts",
    find: "edition === undefined ? said.room : { edition, ...said.room }",
    replace: "said.room",
    noticedBy: now,
  },
  {
    name: "messages-of-others",
    file: "host/live-facts.ts",
    find: "held.filter(({ sender }) => counterpartKey(sender) === user)",
    replace: "held",
    noticedBy: life,
  },
  {
    name: "messages-without-a-turn",
    file: "host/live-facts.ts",
    find: "await store.inbox.heldBy(agent.name, turn)",
    replace: "await store.inbox.list(agent.name)",
    noticedBy: life,
  },
  {
    name: "notes-of-nobody-else",
    file: "agent/tools/note-scope.ts",
    find: "user === undefined ? new Set(batch.map(({ sender }) => counterpartKey(sender))) : [user]",
    replace: "user === undefined ? new Set(batch.map(({ sender }) => counterpartKey(sender))) : []",
    noticedBy: life,
  },
  {
    name: "notes-of-a-mixed-batch",
    file: "agent/tools/note-scope.ts",
    find: "if (batch.length === 0) return { scope };",
    replace: "return { scope };",
    noticedBy: inbox,
  },
  {
    name: "notes-name-their-message",
    file: "agent/tools/note-scope.ts",
    find: "return { scope: { agent: scope.agent, user: counterpartKey(named.sender) } };",
    replace: "return { scope };",
    noticedBy: inbox,
  },
  {
    name: "reply-to-others",
    file: "agent/tools/reply.ts",
    find: "if (!ids.includes(message))",
    replace: "if (ids.length === 0)",
    noticedBy: inbox,
  },
  {
    name: "reply-twice",
    file: "store/conversations/inbox.ts",
    find: "and status = 'taken' and draft is null`",
    replace: "and status = 'taken'`",
    noticedBy: inbox,
  },
  {
    name: "reply-by-any-turn",
    file: "store/conversations/inbox.ts",
    find: "where agent = ${agent} and id = ${message} and turn = ${turn}\n          and status = 'taken' and draft is null",
    replace: "where agent = ${agent} and id = ${message}\n          and status = 'taken' and draft is null",
    noticedBy: ["test/store/contract/inbox.test.ts"],
  },
  {
    name: "approved-calls-taint",
    file: "agent/turn/approved-calls.ts",
    find: 'taint(running, "Results are shown of calls that untrusted text may have caused.");',
    replace: "",
    noticedBy: ["test/automaton/life.test.ts"],
  },
  {
    name: "outage-costs-a-try",
    file: "store/conversations/finish-messages.ts",
    find: "const tries = outage ? row.tries - 1 : row.tries;",
    replace: "const tries = row.tries;",
    noticedBy: ["test/store/contract/inbox.test.ts"],
  },
  {
    name: "reply-too-long",
    file: "agent/tools/reply.ts",
    find: "if (bytes > maxBytes)",
    replace: "if (bytes > 2 * maxBytes)",
    noticedBy: inbox,
  },
  {
    name: "nothing-to-report-to-senders",
    file: "agent/tools/reminders/nothing-to-report.ts",
    find: "if (own && (await store.inbox.heldBy(scope.agent, turn)).length === 0)",
    replace: "if (own)",
    noticedBy: inbox,
  },
  {
    name: "survival-low",
    file: "agent/survival/survival.ts",
    find: "usable < 15 * need",
    replace: "usable < 5 * need",
    noticedBy: survival,
  },
  {
    name: "survival-reserve",
    file: "agent/survival/survival.ts",
    find: "tierOf(balance - reserve, need)",
    replace: "tierOf(balance, need)",
    noticedBy: survival,
  },
  {
    name: "survival-rises-at-once",
    file: "agent/survival/survival.ts",
    find: "const checksToRise = 3;",
    replace: "const checksToRise = 1;",
    noticedBy: survival,
  },
  {
    name: "survival-falls-late",
    file: "agent/survival/survival.ts",
    find: "if (!better || measured.unknown !== null)",
    replace: "if (measured.unknown !== null)",
    noticedBy: survival,
  },
  {
    name: "survival-kept-tier",
    file: "agent/survival/measure-survival.ts",
    find: "worseTier(parseTier(automaton?.tier), measured.tier)",
    replace: "measured.tier",
    noticedBy: life,
  },
  {
    name: "survival-asks-anyway",
    file: "agent/turn/step.ts",
    find: "await checkSurvival(deps, running);",
    replace: "",
    noticedBy: life,
  },
  {
    name: "survival-owed",
    file: "agent/turn/survival.ts",
    find: 'if (tier !== "Critical" && tier !== "OutOfCycles") return;',
    replace: 'if (tier !== "OutOfCycles") return;',
    noticedBy: life,
  },
  {
    name: "survival-sensitive",
    file: "agent/turn/call.ts",
    find: 'const tier = tool.sensitive ? await survivalTier(deps, running) : "Normal";',
    replace: 'const tier = tool.sensitive ? "Normal" : await survivalTier(deps, running);',
    noticedBy: life,
  },
  {
    name: "survival-approved",
    file: "agent/turn/approved-calls.ts",
    find: 'if ((await survivalTier(deps, running)) !== "Normal") return false;',
    replace: "",
    noticedBy: life,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
