import type { Mutation } from "./mutation.ts";

const attacks = ["test/automaton/governance.test.ts"];
const charter = ["test/scenarios/sovereign.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** What keeps a sovereign's law: each defence is put aside once. Those of tainted turns stand with the agent's. */
export const governance: readonly Mutation[] = [
  {
    name: "governance-fixed",
    file: "amend/guards/allowed-hand.ts",
    find: 'if (mutability === "fixed") return no(`“${name}” is fixed: it cannot be changed while the agent runs.`);',
    replace: 'if (mutability === "fixed") return undefined;',
    noticedBy: attacks,
  },
  {
    name: "governance-live",
    file: "amend/guards/allowed-hand.ts",
    find: 'if (mutability === "live") return no(`“${name}” is generated per turn: there is nothing to amend.`);',
    replace: 'if (mutability === "live") return undefined;',
    noticedBy: attacks,
  },
  {
    name: "governance-standing",
    file: "prompt/gather.ts",
    find: 'const amendable = typeof sectionMutability(section, layer) === "object";',
    replace: "const amendable = layer !== undefined;",
    noticedBy: attacks,
  },
  {
    name: "governance-forgery",
    file: "amend/guards.ts",
    find: "    noForgery(charter),\n",
    replace: "",
    noticedBy: attacks,
  },
  {
    name: "governance-override",
    file: "amend/guards.ts",
    find: "    noOverride(charter),\n",
    replace: "",
    noticedBy: attacks,
  },
  {
    name: "governance-approval",
    file: "amend/guards.ts",
    find: "    needsApproval,\n",
    replace: "",
    noticedBy: attacks,
  },
  {
    name: "governance-quota",
    file: "charters/sovereign/rules.ts",
    find: "turnQuota(1),",
    replace: "turnQuota(9),",
    noticedBy: charter,
  },
  {
    name: "governance-state",
    file: "charters/sovereign/rules.ts",
    find: 'turnState(["ExecutingActions"]),',
    replace: "",
    noticedBy: charter,
  },
  {
    name: "governance-size",
    file: "charters/sovereign/rules.ts",
    find: "sizeLimit({ chars: 4000, minChars: 1 }),",
    replace: "sizeLimit({ chars: 40_000 }),",
    noticedBy: charter,
  },
  {
    name: "governance-schema",
    file: "charters/sovereign/rules.ts",
    find: "      notToolSchema,\n",
    replace: "",
    noticedBy: charter,
  },
  {
    name: "governance-message-quoted",
    file: "charters/sovereign/now.ts",
    find: "const said = quoted(preview(body, 120));",
    replace: "const said = preview(body, 120);",
    noticedBy: attacks,
  },
  {
    name: "governance-message-foreign",
    file: "charters/sovereign/now.ts",
    find: 'source: "inbox",\n        fenced: true,',
    replace: 'source: "inbox",',
    noticedBy: attacks,
  },
  {
    name: "governance-name-plain",
    file: "charters/sovereign/now.ts",
    find: "return namePlain(name.length > 80 ? preview(name, 80) : name);",
    replace: "return name;",
    noticedBy: charter,
  },
  {
    name: "governance-exchange-quoted",
    file: "charters/sovereign/now.ts",
    find: "`  [${who}]: ${quoted(preview(sender_body, max))}",
    replace: "`  [${who}]: ${preview(sender_body, max)}",
    noticedBy: attacks,
  },
  {
    name: "governance-note-quoted",
    file: "charters/sovereign/now.ts",
    find: "const words = `- ${shownName(key)}: ${quoted(preview(value, 500))}`;",
    replace: "const words = `- ${shownName(key)}: ${preview(value, 500)}`;",
    noticedBy: attacks,
  },
  {
    name: "governance-note-foreign",
    file: "charters/sovereign/now.ts",
    find: 'source: "memory", ...(tainted ? { fenced: true } : {}) };',
    replace: 'source: "memory", ...(tainted ? {} : {}) };',
    noticedBy: attacks,
  },
  {
    name: "governance-note-tainted",
    file: "host/live-facts.ts",
    find: "value: text, tainted };",
    replace: "value: text, tainted: tainted && false };",
    noticedBy: attacks,
  },
  {
    name: "governance-soul-line",
    file: "charters/sovereign/sovereign.ts",
    find: 'return line(fact, 80)?.replaceAll("`", "\'");',
    replace: 'return (fact.value as string | undefined)?.replaceAll("`", "\'");',
    noticedBy: attacks,
  },
  {
    name: "governance-soul-quote",
    file: "charters/sovereign/sovereign.ts",
    find: 'return line(fact, 80)?.replaceAll("`", "\'");',
    replace: "return line(fact, 80);",
    noticedBy: charter,
  },
  {
    name: "governance-skill-line",
    file: "charters/sovereign/sovereign.ts",
    find: 'required(field(skill, "instructions"), line(field(skill, "instructions"), 500))',
    replace: 'required(field(skill, "instructions"), field(skill, "instructions").value as string)',
    noticedBy: attacks,
  },
  {
    name: "governance-checkpoint",
    file: "store/lifecycle/checkpoint-proof.ts",
    find: "if (footer.rows !== rows || footer.digest !== digest)",
    replace: "if (footer.rows !== rows)",
    noticedBy: attacks,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
