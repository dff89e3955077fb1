import type { Mutation } from "./mutation.ts";

const checks = ["src/sources/core-memory/event/check-event.test.ts"];
const bodies = ["src/sources/core-memory/event/body.test.ts"];
const json = ["src/sources/core-memory/event/strict-json.test.ts"];
const judged = ["src/sources/core-memory/judge-answers.test.ts"];
const keys = ["src/sources/core-memory/key-source.test.ts"];
const vectors = ["test/sources/core-memory/nip-ae.test.ts"];

/** Whose words a core memory is, whether it is there, and who sees its key. */
export const coreMemory: readonly Mutation[] = [
  {
    name: "memory-d-tag-zero",
    file: "sources/core-memory/slug.ts",
    find: "agent-memory/v1/d-tag\\0",
    replace: "agent-memory/v1/d-tag",
    noticedBy: vectors,
  },
  {
    name: "memory-slug-length",
    file: "sources/core-memory/slug.ts",
    find: "given.length <= 255",
    replace: "given.length <= 256",
    noticedBy: ["src/sources/core-memory/slug.test.ts"],
  },
  {
    name: "memory-head-tie",
    file: "sources/core-memory/head.ts",
    find: "one.id < other.id",
    replace: "one.id > other.id",
    noticedBy: ["src/sources/core-memory/head.test.ts"],
  },
  {
    name: "memory-author",
    file: "sources/core-memory/event/check-event.ts",
    find: `  if (event.pubkey !== agent) return "it is another author's";\n`,
    replace: "",
    noticedBy: checks,
  },
  {
    name: "memory-owner",
    file: "sources/core-memory/event/check-event.ts",
    find: `  if (tagValue(event, "p") !== owner) return "it is for another owner";\n`,
    replace: "",
    noticedBy: checks,
  },
  {
    name: "memory-two-tags",
    file: "sources/core-memory/event/check-event.ts",
    find: "length !== 1) return",
    replace: "length < 1) return",
    noticedBy: checks,
  },
  {
    name: "memory-signature",
    file: "sources/core-memory/event/check-event.ts",
    find: `  if (!key.verify(event)) return { unusable: wrongSignature, signed: false };\n`,
    replace: "",
    noticedBy: checks,
  },
  {
    name: "memory-size-first",
    file: "sources/core-memory/event/check-event.ts",
    find: "const largestContent = 87_472;",
    replace: "const largestContent = 87_476;",
    noticedBy: checks,
  },
  {
    name: "memory-d-derived",
    file: "sources/core-memory/event/check-event.ts",
    find: `(named) => key.dTag(named) === tagValue(event, "d")`,
    replace: "() => true",
    noticedBy: checks,
  },
  {
    name: "memory-verified-mark",
    file: "sources/core-memory/event/read-event.ts",
    find: "return { id, pubkey,",
    replace: "return { ...given, id, pubkey,",
    noticedBy: checks,
  },
  {
    name: "memory-exact-bytes",
    file: "sources/core-memory/memory-key.ts",
    find: "return given.subarray(0, length).equals(again.subarray(0, length)) ? text : undefined;",
    replace: "return length > 0 && again.length > 0 ? text : undefined;",
    noticedBy: checks,
  },
  {
    name: "memory-largest-body",
    file: "sources/core-memory/event/body.ts",
    find: "const largestBody = 65_535;",
    replace: "const largestBody = 65_536;",
    noticedBy: bodies,
  },
  {
    name: "memory-name-escaped",
    file: "sources/core-memory/event/strict-json.ts",
    find: `string.includes("\\\\") ? (JSON.parse(string) as string) : string.slice(1, -1)`,
    replace: "string.slice(1, -1)",
    noticedBy: json,
  },
  {
    name: "memory-deepest",
    file: "sources/core-memory/event/strict-json.ts",
    find: "const deepest = 128;",
    replace: "const deepest = 129;",
    noticedBy: json,
  },
  {
    name: "memory-spoiled-empty",
    file: "sources/core-memory/judge-answers.ts",
    find: "relays.find(({ unusable }) => unusable > 0)",
    replace: "relays.find(({ unusable }) => unusable > 1)",
    noticedBy: judged,
  },
  {
    name: "memory-late-empty",
    file: "sources/core-memory/judge-answers.ts",
    find: `trouble === undefined || trouble.kind === "unreachable"`,
    replace: `trouble === undefined || trouble.kind === "unreachable" || trouble.kind === "late"`,
    noticedBy: judged,
  },
  {
    name: "memory-none-finished",
    file: "sources/core-memory/judge-answers.ts",
    find: "    relays.some(({ trouble }) => trouble === undefined) &&\n",
    replace: "",
    noticedBy: judged,
  },
  {
    name: "memory-same-id",
    file: "sources/core-memory/judge-answers.ts",
    find: "before !== undefined && isDeepStrictEqual(before.usable.event, event)",
    replace: "before !== undefined",
    noticedBy: judged,
  },
  {
    name: "memory-forgeries",
    file: "sources/core-memory/judge-answers.ts",
    find: "forgeries.set(relay, forged + 1)",
    replace: "forgeries.set(relay, forged)",
    noticedBy: judged,
  },
  {
    name: "key-group-reads",
    file: "sources/core-memory/keys/key-file.ts",
    find: "const others = 0o077;",
    replace: "const others = 0o007;",
    noticedBy: keys,
  },
  {
    name: "key-stays-in-environment",
    file: "sources/core-memory/key-source.ts",
    find: "    delete process.env[variable];\n",
    replace: "",
    noticedBy: keys,
  },
  {
    name: "key-command-environment",
    file: "sources/core-memory/keys/key-command.ts",
    find: "env: handed,",
    replace: "env,",
    noticedBy: keys,
  },
  {
    name: "key-command-group",
    file: "sources/core-memory/keys/key-command.ts",
    find: "process.kill(-pid",
    replace: "process.kill(pid",
    noticedBy: keys,
  },
  {
    name: "key-for-commands",
    file: "agent/workspace/environment.ts",
    find: "name === chainKeyVariable || secretKey.test(value)",
    replace: "name === chainKeyVariable",
    noticedBy: ["src/agent/workspace/bash.test.ts"],
  },
];
