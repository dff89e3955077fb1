import type { Mutation } from "./mutation.ts";

const pure = ["src/amend/second-opinion.test.ts"];
const asking = ["src/agent/second-opinion.test.ts"];
const contract = ["test/store/contract/second-opinion.test.ts"];
const turns = ["test/agent/second-opinion.test.ts"];
const served = ["test/server/second-opinion.test.ts"];
const command = ["test/scenarios/second-opinion.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** Second opinions: what counts as a no, which words it counts for, who is asked, who decides, what it cost. */
export const secondOpinion: readonly Mutation[] = [
  {
    name: "opinion-unfenced",
    file: "amend/second-opinion.ts",
    find: "fenced(after, proposedText)",
    replace: "after",
    noticedBy: pure,
  },
  {
    name: "opinion-reason-raw",
    file: "amend/second-opinion.ts",
    find: "quoted(preview(words, 200))",
    replace: "words",
    noticedBy: pure,
  },
  {
    name: "opinion-silence-passes",
    file: "amend/second-opinion.ts",
    find: 'if (opinion.says === "no") return undefined;',
    replace: 'if (opinion.says === "no" || opinion.says === "none") return undefined;',
    noticedBy: pure,
  },
  {
    name: "opinion-of-other-words",
    file: "store/amendments/second-opinion.ts",
    find: "if (heard && heard.before === before && heard.after === after) return heard.objection;",
    replace: "if (heard) return heard.objection;",
    noticedBy: contract,
  },
  {
    name: "opinion-of-other-before",
    file: "store/amendments/second-opinion.ts",
    find: "heard.before === before && heard.after === after",
    replace: "heard.after === after",
    noticedBy: contract,
  },
  {
    name: "opinion-for-ever",
    file: "store/amendments/second-opinion.ts",
    find: "const maxRounds = 3;",
    replace: "const maxRounds = 30;",
    noticedBy: contract,
  },
  {
    name: "opinion-of-agents-only",
    file: "store/amendments/second-opinion.ts",
    find: 'if (actor === "operator" || ',
    replace: 'if (actor !== "agent" || ',
    noticedBy: contract,
  },
  {
    name: "opinion-on-operator",
    file: "store/amendments/second-opinion.ts",
    find: 'if (actor === "operator" || operation',
    replace: "if (operation",
    noticedBy: contract,
  },
  {
    name: "opinion-gone-round",
    file: "store/amendments/second-opinion.ts",
    find: "if (adviser || setting === undefined) return adviser;",
    replace: "if (adviser || adviser === undefined) return adviser;",
    noticedBy: contract,
  },
  {
    name: "opinion-unpaid",
    file: "store/amendments/second-opinion.ts",
    find: "if (spent) await home.write",
    replace: 'if (spent && opinion.says === "yes") await home.write',
    noticedBy: contract,
  },
  {
    name: "opinion-not-heard",
    file: "store/amendments/propose.ts",
    find: "    if (opinion.left) return;\n",
    replace: "",
    noticedBy: contract,
  },
  {
    name: "opinion-in-transaction",
    file: "store/amendments/propose.ts",
    find: "        deps.home.write(scope, (db) => decideProposal(deps, db, asked, { ...proposal, section }, heard)),",
    replace:
      '      deps.home.write(scope, async (db) => {\n        const first = await decideProposal(deps, db, asked, { ...proposal, section }, heard);\n        if (!("adviser" in first)) return first;\n        const { opinion } = await first.adviser.ask(first.about, scope);\n        return decideProposal(deps, db, asked, { ...proposal, section }, opinion.says === "no" ? "approved" : heard);\n      }),',
    noticedBy: contract,
  },
  {
    name: "opinion-after-operator",
    file: "store/amendments/held-proposals.ts",
    find: 'hand === "operator" ? "approved" : heard',
    replace: "heard",
    noticedBy: contract,
  },
  {
    name: "opinion-not-after-user",
    file: "store/amendments/held-proposals.ts",
    find: 'hand === "operator" ? "approved" : heard',
    replace: '"approved"',
    noticedBy: contract,
  },
  {
    name: "opinion-user-approves",
    file: "store/amendments/held-proposals.ts",
    find: 'if (hand === "operator" || !isForOperator(held)) return;',
    replace: "return;",
    noticedBy: contract,
  },
  {
    name: "edited-by-the-agent",
    file: "store/amendments/approved-proposal.ts",
    find: "    actor: edited.actor,\n",
    replace: "    actor,\n",
    noticedBy: ["test/store/contract/held-edited.test.ts"],
  },
  {
    name: "opinion-user-is-operator",
    file: "host/decide.ts",
    find: 'within === undefined ? ("operator" as const) : ("user" as const)',
    replace: '"operator" as const',
    noticedBy: served,
  },
  {
    name: "opinion-objection-dropped",
    file: "store/amendments/held-proposal-row.ts",
    find: "const all = [...refusals, objection];",
    replace: "const all = [...refusals];",
    noticedBy: contract,
  },
  {
    name: "opinion-button",
    file: "channels/telegram/approval.ts",
    find: "proposal.turn === turn && !isForOperator(held)",
    replace: "proposal.turn === turn",
    noticedBy: ["test/telegram/approvals.test.ts"],
  },
  {
    name: "opinion-never-late",
    file: "agent/second-opinion.ts",
    find: "startDeadline(limits.opinionSeconds, options.signal)",
    replace: "startDeadline(limits.turnSeconds, options.signal)",
    noticedBy: asking,
  },
  {
    name: "opinion-not-stopped",
    file: "agent/second-opinion.ts",
    find: "startDeadline(limits.opinionSeconds, options.signal)",
    replace: "startDeadline(limits.opinionSeconds, undefined)",
    noticedBy: asking,
  },
  {
    name: "opinion-over-limit",
    file: "agent/second-opinion.ts",
    find: "  await checkSpending(deps,",
    replace: "  if (!options.limits) await checkSpending(deps,",
    noticedBy: asking,
  },
  {
    name: "opinion-finish-ignored",
    file: "agent/second-opinion.ts",
    find: 'finish === "stop" && calls.length === 0',
    replace: "calls.length === 0",
    noticedBy: asking,
  },
  {
    name: "opinion-provider-words",
    file: "agent/second-opinion.ts",
    find: "faultWords[fault.code]",
    replace: "fault.message",
    noticedBy: asking,
  },
  {
    name: "opinion-after-erasure",
    file: "store/amendments/propose.ts",
    find: '  if (heard && heard !== "approved") await checkUserNotErased(db, scope, heard);\n',
    replace: "",
    noticedBy: ["test/store/lifecycle/erase-meanwhile.test.ts"],
  },
  {
    name: "opinion-not-in-turn",
    file: "agent/turn/tool-context.ts",
    find: "    secondOpinion: secondOpinionOf(deps, running),",
    replace: "",
    noticedBy: turns,
  },
  {
    name: "opinion-not-in-turn-cost",
    file: "agent/turn/tool-context.ts",
    find: "onBill: (bill) => billOpinion(running.bill, bill),",
    replace: "",
    noticedBy: turns,
  },
  {
    name: "opinion-not-in-sample",
    file: "server/samples/sampled-step.ts",
    find: "plus(costOf(usage, receiver), opinions)",
    replace: "costOf(usage, receiver)",
    noticedBy: served,
  },
  {
    name: "opinion-not-in-house",
    file: "host/create-host.ts",
    find: "{ ...(await amendmentContextFor(snapshot, room)), secondOpinion }",
    replace: "{ ...(await amendmentContextFor(snapshot, room)) }",
    noticedBy: served,
  },
  {
    name: "opinion-not-in-command",
    file: "cli/commands/change/propose.ts",
    find: 'actor === "operator" ? {}',
    replace: 'actor !== "agent" ? {}',
    noticedBy: command,
  },
  {
    name: "opinion-setting-unchecked",
    file: "host/settings.ts",
    find: "!isName(secondOpinion)",
    replace: "secondOpinion === false",
    noticedBy: served,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
