import type { Mutation } from "./mutation.ts";

const runs = ["test/store/contract/turn-runs.test.ts"];
const stands = ["test/store/contract/standings.test.ts"];
const held = ["test/store/contract/held-calls.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** What lasts. */
export const store: readonly Mutation[] = [
  {
    name: "store-row-sound",
    file: "store/amendments.ts",
    find: "return reasonHolds && sealedDigest(sealed, sha256) === row.digest;",
    replace: "return reasonHolds || sealedDigest(sealed, sha256) === row.digest;",
  },
  {
    name: "store-text-proved",
    file: "store/text.ts",
    find: "if (text === undefined || sha256(text) !== digest) return undefined;",
    replace: "if (text === undefined) return undefined;",
  },
  {
    name: "store-words-proved",
    file: "store/proof.ts",
    find: "  sha256(head.words) === row.after_digest &&\n",
    replace: "",
    noticedBy: stands,
  },
  {
    name: "store-proved-before",
    file: "store/proof.ts",
    find: "if (before && isSame(before.row, row) && isSame(before.head, head)) return true;",
    replace: "if (before && isSame(before.row, row)) return true;",
    noticedBy: stands,
  },
  {
    name: "store-proved-before-row",
    file: "store/proof.ts",
    find: "if (before && isSame(before.row, row) && isSame(before.head, head)) return true;",
    replace: "if (before && isSame(before.head, head)) return true;",
    noticedBy: stands,
  },
  {
    name: "store-fault",
    file: "store/standing.ts",
    find: "prove(row, head) && fault(name, head.words) === undefined",
    replace: "prove(row, head)",
    noticedBy: stands,
  },
  {
    name: "store-key",
    file: "store/propose.ts",
    find: "const before = key === undefined ? undefined : await settledBefore",
    replace: "const before = key !== undefined ? undefined : await settledBefore",
  },
  {
    name: "store-frozen",
    file: "store/judge.ts",
    find: "agent.frozen === null ? []",
    replace: "agent.frozen !== undefined ? []",
  },
  {
    name: "store-turn-quota",
    file: "store/judge.ts",
    find: "Math.max(given.amendments, made?.count ?? 0)",
    replace: "given.amendments",
  },
  {
    name: "store-begin-immediate",
    file: "store/home/sqlite.ts",
    find: '"pragma busy_timeout = 0; begin immediate"',
    replace: '"pragma busy_timeout = 0; begin"',
  },
  {
    name: "store-rollback",
    file: "store/home/group-commit.ts",
    find: 'handle.exec("rollback to one; release one");',
    replace: 'handle.exec("release one");',
  },
  {
    name: "store-commit-together",
    file: "store/home/group-commit.ts",
    find: '    handle.exec("commit");',
    replace: "",
  },
  {
    name: "store-row-security",
    file: "store/home/postgres-schema.ts",
    find: "for select to ${role} using (${see})",
    replace: "for select to ${role} using (true)",
  },
  {
    name: "store-row-security-write",
    file: "store/home/postgres-schema.ts",
    find: "for delete to ${role} using (${remove})",
    replace: "for delete to ${role} using (true)",
  },
  {
    name: "store-scope-search",
    file: "store/memory.ts",
    find: 'delete from memories where id = ${id} and agent = ${scope.agent} and user_id = ${scope.user ?? ""}',
    replace: "delete from memories where id = ${id}",
  },
  {
    name: "store-fifo",
    file: "store/conversations.ts",
    find: "and number <= ${number - limits.exchanges}",
    replace: "and number < ${number - limits.exchanges}",
  },
  {
    name: "store-lru",
    file: "store/conversations.ts",
    find: "order by active desc\n      limit",
    replace: "order by active\n      limit",
  },
  {
    name: "store-second-reply",
    file: "store/inbox.ts",
    find: "and id = ${id} and status in ('waiting', 'taken')",
    replace: "and id = ${id}",
  },
  {
    name: "store-step-chain",
    file: "store/steps.ts",
    find: "turn, step, at, receipt, previous]",
    replace: "turn, step, at, receipt]",
  },
  {
    name: "store-token-revoked",
    file: "store/tokens.ts",
    find: "sql`revoked_at is null and (expires_at",
    replace: "sql`(expires_at",
  },
  {
    name: "store-turn-closed-twice",
    file: "store/turn-end.ts",
    find: "and user_id = ${user} and state = 'running' returning *",
    replace: "and user_id = ${user} returning *",
    noticedBy: runs,
  },
  {
    name: "store-late-words",
    file: "store/turn-end.ts",
    find: "where turn = ${turn} and step = ${step} and erased_at is null",
    replace: "where turn = ${turn} and step = ${step}",
    noticedBy: runs,
  },
  {
    name: "store-lease-unseen",
    file: "store/turn-interrupted.ts",
    find: "leased_until !== null && leased_until < at;",
    replace: "leased_until !== null && leased_until === at;",
    noticedBy: runs,
  },
  {
    name: "store-lease-renewed",
    file: "store/turn-interrupted.ts",
    find: "const still = late ? sql`leased_until < ${at}`",
    replace: "const still = late ? sql`leased_until is not null`",
    noticedBy: runs,
  },
  {
    name: "store-lease-silent",
    file: "store/turn-end.ts",
    find: 'if (found.state === "running") await renewLease(',
    replace: 'if (found.state !== "running") await renewLease(',
    noticedBy: runs,
  },
  {
    name: "store-interrupted-goes-on",
    file: "store/turn.ts",
    find: 'if (state === "interrupted")',
    replace: 'if (state === "answered")',
    noticedBy: runs,
  },
  {
    name: "store-taint-washed",
    file: "store/lease.ts",
    find: "tainted = case when tainted = 1 then 1 else ${tainted ? 1 : 0} end",
    replace: "tainted = ${tainted ? 1 : 0}",
    noticedBy: runs,
  },
  {
    name: "store-taint-washed-at-end",
    file: "store/turn-end.ts",
    find: "tainted = case when tainted = 1 then 1 else ${tainted ? 1 : 0} end",
    replace: "tainted = ${tainted ? 1 : 0}",
    noticedBy: runs,
  },
  {
    name: "store-call-taken-twice",
    file: "store/held-calls.ts",
    find: "update held_calls set status = 'running', taken_at = ${at} where ${approved} returning *",
    replace:
      "update held_calls set status = 'running', taken_at = ${at} where agent = ${agent} and user_id = ${user} and status in ('approved', 'running') returning *",
    noticedBy: held,
  },
  {
    name: "store-call-decided-twice",
    file: "store/held-calls.ts",
    find: "where id = ${id} and status = ${from} returning *",
    replace: "where id = ${id} and ${from} <> '' returning *",
    noticedBy: held,
  },
  {
    name: "store-call-of-another",
    file: "store/held-calls.ts",
    find: "const approved = sql`agent = ${agent} and user_id = ${user} and status = 'approved'`;",
    replace: "const approved = sql`agent = ${agent} and ${user} <> '-' and status = 'approved'`;",
    noticedBy: held,
  },
  {
    name: "store-spending-doubled",
    file: "store/turn-end.ts",
    find: '  for (const one of "day" in spent ? [spent] : spent) await addSpent(db, scope, one);\n',
    replace:
      '  for (const one of "day" in spent ? [spent, spent] : [...spent, ...spent]) await addSpent(db, scope, one);\n',
    noticedBy: runs,
  },
  {
    name: "store-spending-replaced",
    file: "store/spending.ts",
    find: "do update set micros = spending.micros + excluded.micros",
    replace: "do update set micros = excluded.micros",
    noticedBy: ["test/store/contract/spending.test.ts"],
  },
  {
    name: "store-session-of-another",
    file: "store/sessions.ts",
    find: 'where id = ${id} and agent = ${scope.agent} and user_id = ${scope.user ?? ""}`);',
    replace: "where id = ${id}`);",
    noticedBy: ["test/store/contract/session-history.test.ts", ...runs],
  },
  {
    name: "store-session-ended",
    file: "store/sessions.ts",
    find: "case when ended_at is null then ${JSON.stringify(baseline ?? null)} else baseline end",
    replace: "${JSON.stringify(baseline ?? null)}",
    noticedBy: runs,
  },
  {
    name: "store-history-order",
    file: "store/session-turns.ts",
    find: "where ${those}${later} order by started_at, id`);",
    replace: "where ${those}${later} order by id`);",
    noticedBy: ["test/store/contract/session-history.test.ts"],
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
