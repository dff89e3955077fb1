import type { Mutation } from "./mutation.ts";

const decided = ["src/sources/core-memory/reconcile.test.ts"];
const meanwhile = ["test/core-memory/meanwhile.test.ts"];
const modes = ["test/core-memory/modes.test.ts"];
const keys = ["test/core-memory/isolation.test.ts"];
const sessions = ["test/core-memory/sessions.test.ts"];
const searched = ["test/core-memory/keys.long.test.ts"];
const contract = ["test/store/contract/publications.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** Core memories: nobody who had one is new, nothing written is lost, one event for one amendment, no key of another's. */
export const memories: readonly Mutation[] = [
  {
    name: "memory-lost-is-empty",
    file: "sources/core-memory/reconcile.ts",
    find: '    if (seen) return lost("the relays have none, though there was one", seen);\n',
    replace: "",
    noticedBy: decided,
  },
  {
    name: "memory-older-stands",
    file: "sources/core-memory/reconcile.ts",
    find: "if (seen && seen.id !== null && isNewer(",
    replace: "if (seen && seen.id === null && isNewer(",
    noticedBy: decided,
  },
  {
    name: "memory-unreadable-forgotten",
    file: "sources/core-memory/reconcile.ts",
    find: "finding.signed && seen === undefined",
    replace: "finding.signed && seen !== undefined",
    noticedBy: decided,
  },
  {
    name: "memory-waiting-not-resumed",
    file: "sources/core-memory/reconcile.ts",
    find: "...(standing.text === text ? {} : { resume: text })",
    replace: "",
    noticedBy: decided,
  },
  {
    name: "memory-overtaken-lost",
    file: "sources/core-memory/reconcile.ts",
    find: "...(isUnknown ? { overtaken: head } : {})",
    replace: "",
    noticedBy: decided,
  },
  {
    name: "memory-false-outage",
    file: "sources/core-memory/look-at-core.ts",
    find: "known.seen?.id !== before.seen?.id && round < maxRounds",
    replace: "known.seen?.id !== before.seen?.id && round < 0",
    noticedBy: meanwhile,
  },
  {
    name: "memory-refused-unseen",
    file: "sources/core-memory/look-at-core.ts",
    find: "if (found.note && known.seen === undefined) await",
    replace: "if (!found.note && known.seen === undefined) await",
    noticedBy: modes,
  },
  {
    name: "memory-list-unanswered",
    file: "sources/core-memory/read-memory.ts",
    find: 'found.status !== "empty" || isAnswered',
    replace: "true",
    noticedBy: ["test/sources/core-memory/relays.test.ts"],
  },
  {
    name: "memory-refused-seen",
    file: "sources/core-memory/look-at-core.ts",
    find: "found.note && refused === undefined",
    replace: "found.note",
    noticedBy: modes,
  },
  {
    name: "memory-conflict-unshown",
    file: "sources/core-memory/publish-core.ts",
    find: "if (ours === undefined || !head) return outcome;",
    replace: "if (ours === undefined || head) return outcome;",
    noticedBy: ["test/core-memory/replicas.test.ts"],
  },
  {
    name: "memory-refused-for-newer",
    file: "sources/core-memory/publish-core.ts",
    find: " && !missed.some(hasOne)",
    replace: "",
    noticedBy: meanwhile,
  },
  {
    name: "memory-lost-for-good",
    file: "sources/core-memory/publish-core.ts",
    find: "const waiting = before.waiting ?? (before.lost && { ...before.lost, tries: 0 });",
    replace: "const waiting = before.waiting;",
    noticedBy: modes,
  },
  {
    name: "memory-own-before-theirs",
    file: "sources/core-memory/core-memory.ts",
    find: "(sends ? (await publish({ before })).last : before).reading",
    replace: "(sends ? ((await publish({ before })), before) : before).reading",
    noticedBy: meanwhile,
  },
  {
    name: "memory-asked-again",
    file: "sources/core-memory/core-memory.ts",
    find: "const standing = turn.again ? turn.standing[coreSlug] : undefined;",
    replace: "const standing = turn.again && turn.standing.nobody;",
    noticedBy: sessions,
  },
  {
    name: "memory-clock-poisoned",
    file: "charters/resident/rules.ts",
    find: "inTime(readings[coreSlug]), ",
    replace: "",
    noticedBy: modes,
  },
  {
    name: "memory-written-unread",
    file: "charters/resident/rules.ts",
    find: "isKnown(readings[coreSlug], publisher), ",
    replace: "",
    noticedBy: sessions,
  },
  {
    name: "memory-too-long",
    file: "charters/resident/rules.ts",
    find: ", fitsAnEvent]",
    replace: "]",
    noticedBy: modes,
  },
  {
    name: "memory-other-keys-words",
    file: "sources/core-memory/core-reading.ts",
    find: " || !standing.isOfKey",
    replace: "",
    noticedBy: keys,
  },
  {
    name: "memory-other-keys-event",
    file: "store/publications/publication-row.ts",
    find: "where ${ofPlace} and state = 'waiting'`",
    replace: "where agent = ${agent} and section = ${section} and state = 'waiting'`",
    noticedBy: keys,
  },
  {
    name: "memory-newest-forgets-own",
    file: "store/publications/publication-row.ts",
    find: "union all select created_at from publications where ${ofPlace}) known`",
    replace: "union all select created_at from publications where ${ofPlace} and state = 'nowhere') known`",
    noticedBy: contract,
  },
  {
    name: "memory-adopted-blindly",
    file: "host/core-memory.ts",
    find: "guards: [staleRevision]",
    replace: "guards: []",
    noticedBy: meanwhile,
  },
  {
    name: "key-as-hex-for-commands",
    file: "agent/workspace/environment.ts",
    find: "|^\\s*(?:0x)?[0-9a-f]{64}\\s*$",
    replace: "",
    noticedBy: searched,
  },
  {
    name: "key-for-extensions",
    file: "cli/shared/directory.ts",
    find: "  hideSecretKeys();\n",
    replace: "",
    noticedBy: searched,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
