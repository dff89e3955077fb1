import type { Mutation } from "./mutation.ts";

const lock = ["src/charters/lock-file.test.ts"];
const locked = ["test/scenarios/lock.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** What is missing is seen: in the lock, in the store, and under a running process. */
export const missing: readonly Mutation[] = [
  {
    name: "lock-file-name",
    file: "charters/lock-file.ts",
    find: "if (names.length > 0 && !names.includes(charter.name))",
    replace: "if (names.length > 1 && !names.includes(charter.name))",
    noticedBy: lock,
  },
  {
    name: "lock-same-file",
    file: "charters/lock-file.ts",
    find: "a.dev === b.dev && a.ino === b.ino",
    replace: "one === other",
    noticedBy: lock,
  },
  {
    name: "lock-look-alike",
    file: "charters/lock-file.ts",
    find: "if (like.length === 0) return;",
    replace: "if (like.length <= 1) return;",
    noticedBy: lock,
  },
  {
    name: "lock-look-built-in",
    file: "charters/lock-file.ts",
    find: "new Set([...builtInNames, ...Object.keys(lock.charters)])",
    replace: "new Set(Object.keys(lock.charters))",
    noticedBy: lock,
  },
  {
    name: "lock-verify-renamed",
    file: "cli/fixed-words.ts",
    find: "file !== undefined && lock.files?.[charter.name] !== file",
    replace: "file === undefined && lock.files?.[charter.name] !== file",
    noticedBy: locked,
  },
  {
    name: "lock-verify-gone",
    file: "cli/fixed-words.ts",
    find: "if (gone.length === 0) return;",
    replace: "if (gone.length <= 1) return;",
    noticedBy: locked,
  },
  {
    name: "lock-two-names",
    file: "cli/lock.ts",
    find: "taken === charter.name",
    replace: "taken === charter.name && builtInNames.includes(taken)",
    noticedBy: locked,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
