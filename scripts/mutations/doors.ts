import type { Mutation } from "./mutation.ts";

const marks = ["src/delivery/plain-message.test.ts"];
const unchanged = ["src/amend/amend.test.ts"];
const names = ["test/store/contract/agents.test.ts"];
const nothing = ["src/agent/parse-without-nulls.test.ts"];
const spelling = ["src/delivery/mark.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** Ways round a wall: what another door would let through. */
export const doors: readonly Mutation[] = [
  {
    name: "mark-in-past",
    file: "delivery/deliver.ts",
    find: "const history = [...plainMessages(past, baseline, sha256), ...withUpdates(said, added)];",
    replace: "const history = [...past, ...withUpdates(said, added)];",
    noticedBy: marks,
  },
  {
    name: "mark-in-added",
    file: "delivery/deliver.ts",
    find: "const added = plainMessages(delivering.added, baseline, sha256);",
    replace: "const added = delivering.added;",
    noticedBy: marks,
  },
  {
    name: "mark-in-one-string",
    file: "delivery/deliver.ts",
    find: "const plain = (messages: readonly Message[]) => plainMessages(messages, base, sha256);",
    replace: "const plain = (messages: readonly Message[]) => messages;",
    noticedBy: marks,
  },
  {
    name: "mark-claimed-as-update",
    file: "delivery/plain-message.ts",
    find: "updates.some((said) => isUpdateOf(one, said)) ? one",
    replace: '"update" in one ? one',
    noticedBy: marks,
  },
  {
    name: "mark-role-of-the-system",
    file: "delivery/plain-message.ts",
    find: 'if (message.role === "system" || message.update !== undefined) return { role: "user", text };',
    replace: "",
    noticedBy: marks,
  },
  {
    name: "mark-signed-answer",
    file: "delivery/plain-message.ts",
    find: "isPlain || message.native !== undefined ?",
    replace: "isPlain ?",
    noticedBy: marks,
  },
  {
    name: "mark-of-another-session",
    file: "delivery/plain-message.ts",
    find: "before?.mark === mark &&",
    replace: "before &&",
    noticedBy: marks,
  },
  {
    name: "mark-changed-in-place",
    file: "delivery/plain-message.ts",
    find: "words.every((one, at) => one === before.words[at])",
    replace: "words.every(() => true)",
    noticedBy: marks,
  },
  {
    name: "mark-by-look-alikes",
    file: "delivery/look-alike.ts",
    find: "const read = asciiOf(one)?.padEnd(one.length, nothing) ?? one;",
    replace: "const read = one;",
    noticedBy: spelling,
  },
  {
    name: "mark-in-tags",
    file: "delivery/look-alike.ts",
    find: "return [seen, words.replace(tag, hidden)];",
    replace: "return [seen];",
    noticedBy: spelling,
  },
  {
    name: "mark-half-a-character",
    file: "delivery/mark.ts",
    find: "lowHalf.test(words.charAt(end)) ? end + 1 : end",
    replace: "end",
    noticedBy: spelling,
  },
  {
    name: "mark-by-a-hook",
    file: "agent/turn/before-step.ts",
    find: "const messages = plainMessages(hooked, delivery.baseline, sha256);",
    replace: "const messages = hooked;",
    noticedBy: ["test/agent/mark.test.ts"],
  },
  {
    name: "mark-input-as-sent",
    file: "agent/turn/step.ts",
    find: "running.progress.input = inputIn(delivery) ?? running.progress.input;",
    replace: "",
    noticedBy: ["test/agent/mark.test.ts"],
  },
  {
    name: "mark-in-what-is-summed-up",
    file: "agent/turn/compaction.ts",
    find: "plainMessages(messagesOf(old), session.baseline, sha256)",
    replace: "messagesOf(old)",
    noticedBy: ["test/agent/turns/compaction.test.ts"],
  },
  {
    name: "unchanged-before-guards",
    file: "amend/amend.ts",
    find: "  if (against.length > 0)\n",
    replace: "  if (against.length > 0 && after !== before)\n",
    noticedBy: unchanged,
  },
  {
    name: "unchanged-waits-for-ever",
    file: "store/amendments/held-proposals.ts",
    find: 'if (verdict.verdict === "unchanged") await decide(db, held, "approved", by, {});',
    replace: "",
    noticedBy: ["test/store/contract/held.test.ts"],
  },
  {
    name: "unchanged-repeated",
    file: "store/amendments/idempotency.ts",
    find: 'if (status === "approved" && held.revision === null) {',
    replace: "if (!status) {",
    noticedBy: ["test/store/contract/held.test.ts"],
  },
  {
    name: "unchanged-exit-code",
    file: "cli/print/verdict.ts",
    find: 'return outcome.verdict === "accepted" || outcome.verdict === "unchanged" ? 0 : 1;',
    replace: 'return outcome.verdict === "accepted" ? 0 : 1;',
    noticedBy: ["test/scenarios/store/store-amend.test.ts"],
  },
  {
    name: "unchanged-created",
    file: "server/routes/propose.ts",
    find: "unchanged: 200",
    replace: "unchanged: 201",
    noticedBy: ["test/server/routes/routes-words.test.ts"],
  },
  {
    name: "name-without-form",
    file: "store/agent-name.ts",
    find: "if (form.test(name)) return;",
    replace: "if (name) return;",
    noticedBy: names,
  },
  {
    name: "name-of-an-old-agent",
    file: "store/agents.ts",
    find: "if (!(await findAgent(db, name))) checkAgentName(name);",
    replace: "checkAgentName(name);",
    noticedBy: names,
  },
  {
    name: "name-round-the-store",
    file: "store/agents.ts",
    find: "if (!(await findAgent(db, name))) checkAgentName(name);",
    replace: "",
    noticedBy: names,
  },
  {
    name: "null-refused",
    file: "agent/tool-input.ts",
    find: "await parseWithoutNulls(tool.input, value)",
    replace: 'await tool.input["~standard"].validate(value)',
    noticedBy: ["test/server/tools.test.ts"],
  },
  {
    name: "null-in-a-list",
    file: "agent/parse-without-nulls.ts",
    find: "return isObject(holder) &&",
    replace: "return isHolder(holder) &&",
    noticedBy: nothing,
  },
  {
    name: "null-that-was-needed",
    file: "agent/parse-without-nulls.ts",
    find: "const left = nulls.filter((path) => !missed.has(named(path)));",
    replace: "const left = nulls;",
    noticedBy: nothing,
  },
  {
    name: "null-in-a-choice",
    file: "agent/parse-without-nulls.ts",
    find: "(Array.isArray(each) ? placesIn(each, here) : placesIn([each as Issue]))",
    replace: "[]",
    noticedBy: nothing,
  },
  {
    name: "name-of-a-step",
    file: "store/accounts/users.ts",
    find: '(id === "." || id === "..")',
    replace: '(id === "")',
    noticedBy: names,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
