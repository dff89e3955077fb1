import type { Mutation } from "./mutation.ts";

const trusted = ["test/sources/trusted-charters.test.ts"];
const command = ["test/scenarios/own-charter.test.ts"];
const service = ["test/server/own-charter.test.ts"];
const limits = ["src/agent/turn/declared-limits.test.ts"];

/** What a charter says of itself, and the wall before its file: it is code. */
export const charters: readonly Mutation[] = [
  {
    name: "charter-trust-project",
    file: "sources/trust/trust.ts",
    find: '...(trust === "trusted" ? {} : { trust: "untrusted" })',
    replace: "...{}",
    noticedBy: trusted,
  },
  {
    name: "charter-trust-new",
    file: "sources/trust/trust.ts",
    find: 'keyOf(root, path))) return { trust: "new", files };',
    replace: 'keyOf(root, path))) return { trust: "trusted", files };',
    noticedBy: trusted,
  },
  {
    name: "charter-trust-own",
    file: "sources/trust/trust.ts",
    find: "if (!Object.hasOwn(known, keyOf(root, path)))",
    replace: "if (!(keyOf(root, path) in known))",
    noticedBy: trusted,
  },
  {
    name: "charter-trust-changed",
    file: "sources/trust/trust.ts",
    find: 'oneDigest(path, files, disk) ? "trusted" : "changed"',
    replace: 'oneDigest(path, files, disk) ? "trusted" : "trusted"',
    noticedBy: trusted,
  },
  {
    name: "charter-trust-dropped",
    file: "sources/trust/trust.ts",
    find: "    ...kept,\n",
    replace: "",
    noticedBy: trusted,
  },
  {
    name: "charter-digest-imports",
    file: "sources/trust/charter-digest.ts",
    find: 'if (state.status === "present")\n      waiting.push',
    replace: 'if (state.status === "present" && path === "")\n      waiting.push',
    noticedBy: trusted,
  },
  {
    name: "charter-digest-endless",
    file: "sources/trust/charter-digest.ts",
    find: "if (found.size >= limits.files)",
    replace: "if (found.size > limits.files + 1)",
    noticedBy: trusted,
  },
  {
    name: "charter-digest-kept",
    file: "sources/trust/trust-record.ts",
    find: "areDigests(extensions) && areDigests(charters)",
    replace: "areDigests(extensions)",
    noticedBy: trusted,
  },
  {
    name: "charter-not-gated",
    file: "sources/trust/gated-files.ts",
    find: "    ...charters.map((file) => resolve(cwd, file)).filter((path) => isThere(disk, path)),\n",
    replace: "",
    noticedBy: trusted,
  },
  {
    name: "charter-untrusted-run",
    file: "cli/shared/trusted-database.ts",
    find: "if (problem) throw problem;",
    replace: "",
    noticedBy: command,
  },
  {
    name: "charter-untrusted-chat",
    file: "cli/shared/trusted-database.ts",
    find: "if (values.charter !== agent.charter) await checkCharterFile(store, agent);",
    replace: "",
    noticedBy: ["test/scenarios/coder/coder-command.test.ts"],
  },
  {
    name: "charter-untrusted-set",
    file: "cli/commands/change/set-agent.ts",
    find: "if (values.charter === undefined) await checkCharterFile(store, before);",
    replace: "",
    noticedBy: command,
  },
  {
    name: "charter-untrusted-untold",
    file: "cli/commands/change/set-agent.ts",
    find: "  if (problem)\n",
    replace: "  if (problem && json)\n",
    noticedBy: command,
  },
  {
    name: "charter-trust-unlisted",
    file: "cli/commands/change/trust.ts",
    find: "trustProject({ ...places, ...(charters ? { charters } : {}) },",
    replace: "trustProject(places,",
    noticedBy: command,
  },
  {
    name: "charter-built-in-name",
    file: "host/own-charter.ts",
    find: "if (lockDifferences(lock, charter, words).length > 0)",
    replace: "if (lockDifferences(lock, charter, words).length > 99)",
    noticedBy: command,
  },
  {
    name: "charter-traits-run",
    file: "host/create-host.ts",
    find: "      await options.checkCharter?.(agent);\n      const traits = await declarations.traits(agent);",
    replace: "      const traits = await declarations.traits(agent);",
    noticedBy: service,
  },
  {
    name: "charter-needs-unread",
    file: "host/snapshot.ts",
    find: 'return needs.some((need) => need !== "files");',
    replace: "return needs.length > 99;",
    noticedBy: ["test/host/host.test.ts", ...service],
  },
  {
    name: "charter-needs-all",
    file: "host/live-facts.ts",
    find: 'if (needs.includes("notes"))',
    replace: "if (needs.length > 0)",
    noticedBy: service,
  },
  {
    name: "charter-function-once",
    file: "host/declare.ts",
    find: "const alone = loaded.ofSettings && !needsStore(given);",
    replace: "const alone = !needsStore(given);",
    noticedBy: service,
  },
  {
    name: "charter-not-served",
    file: "host/declare.ts",
    find: "if (declaration.served === false)",
    replace: "if (declaration.served === undefined)",
    noticedBy: ["test/host/host.test.ts"],
  },
  {
    name: "charter-limits-wider",
    file: "agent/limits.ts",
    find: "Math.min(value, one[name as keyof Limits] ?? value)",
    replace: "value",
    noticedBy: limits,
  },
  {
    name: "charter-limits-unheld",
    file: "agent/turn/declared-limits.ts",
    find: "limits ? limitsOf(narrower(said.limits, limits)) : working.limits",
    replace: "working.limits",
    noticedBy: limits,
  },
];
