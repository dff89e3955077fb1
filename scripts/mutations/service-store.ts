import type { Mutation } from "./mutation.ts";

const links = ["test/store/contract/links.test.ts"];
const updates = ["test/store/contract/updates.test.ts"];
const dispatches = ["test/store/contract/dispatches.test.ts"];
const tokens = ["test/store/contract/tokens.test.ts"];
const users = ["test/store/contract/agents.test.ts"];
const erase = ["test/store/lifecycle/erase.test.ts"];
const meanwhile = ["test/store/lifecycle/erase-meanwhile.test.ts"];
const migrate = ["test/store/migrate.test.ts"];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** What lasts of a service: chats, what came and what goes out, who may ask. */
export const serviceStore: readonly Mutation[] = [
  {
    name: "link-code-twice",
    file: "store/outbox/links.ts",
    find: "and used_at is null and expires_at > ${at} returning user_id",
    replace: "and expires_at > ${at} returning user_id",
    noticedBy: links,
  },
  {
    name: "link-code-over",
    file: "store/outbox/links.ts",
    find: "and used_at is null and expires_at > ${at} returning user_id",
    replace: "and used_at is null and expires_at >= ${at} returning user_id",
    noticedBy: links,
  },
  {
    name: "link-code-older-void",
    file: "store/outbox/links.ts",
    find: "delete from link_codes where agent = ${agent} and user_id = ${user} and channel = ${channel}",
    replace: "delete from link_codes where agent = ${agent} and user_id = ${user} and channel = ${agent}",
    noticedBy: links,
  },
  {
    name: "link-code-typed",
    file: "store/outbox/link-code.ts",
    find: '.replaceAll("O", "0").replace(/[IL]/g, "1")',
    replace: '.replaceAll("O", "0")',
    noticedBy: ["src/store/outbox/link-code.test.ts"],
  },
  {
    name: "link-moved",
    file: "store/outbox/links.ts",
    find: "if (before && before.scope.user !== scope.user) await unlink(db, at, before);",
    replace: "",
    noticedBy: links,
  },
  {
    name: "link-same-user",
    file: "store/outbox/links.ts",
    find: "if (before && before.scope.user !== scope.user)",
    replace: "if (before)",
    noticedBy: links,
  },
  {
    name: "link-removed-dispatches",
    file: "store/outbox/links.ts",
    find: "await db.run(sql`delete from dispatches where ${there} and state = 'waiting'`);",
    replace: "",
    noticedBy: links,
  },
  {
    name: "update-known",
    file: "store/outbox/channel-updates.ts",
    find: "return added === 1;",
    replace: "return added !== 2;",
    noticedBy: updates,
  },
  {
    name: "update-order-of-numbers",
    file: "store/outbox/claim-updates.ts",
    find: 'raw("at, length(id), id")',
    replace: 'raw("at, id")',
    noticedBy: updates,
  },
  {
    name: "update-one-of-an-address",
    file: "store/outbox/claim-updates.ts",
    find: "where place = 1 and busy = 0",
    replace: "where busy = 0",
    noticedBy: updates,
  },
  {
    name: "update-address-busy",
    file: "store/outbox/claim-updates.ts",
    find: "where place = 1 and busy = 0",
    replace: "where place = 1 and (busy = 0 or state = 'waiting')",
    noticedBy: updates,
  },
  {
    name: "update-lease",
    file: "store/outbox/claim-updates.ts",
    find: "when state = 'taken' and leased_until > ${at} then 1",
    replace: "when state = 'taken' and leased_until >= ${at} then 1",
    noticedBy: updates,
  },
  {
    name: "update-abandoned-thrice",
    file: "store/outbox/claim-updates.ts",
    find: 'state === "taken" && tries >= maxTries',
    replace: 'state === "taken" && tries > maxTries',
    noticedBy: updates,
  },
  {
    name: "update-taken-at-once",
    file: "store/outbox/claim-updates.ts",
    find: "if (lock) await db.all(lock);",
    replace: "",
    noticedBy: updates,
  },
  {
    name: "update-done-twice",
    file: "store/outbox/channel-updates.ts",
    find: "if (ended > 0) await writeDispatches",
    replace: "await writeDispatches",
    noticedBy: updates,
  },
  {
    name: "update-emptied",
    file: "store/outbox/channel-updates.ts",
    find: "set state = 'done', body = '', leased_until",
    replace: "set state = 'done', leased_until",
    noticedBy: updates,
  },
  {
    name: "update-failed-thrice",
    file: "store/outbox/channel-updates.ts",
    find: 'if (failed?.state === "dead") {',
    replace: "if (failed) {",
    noticedBy: updates,
  },
  {
    name: "update-clock-behind",
    file: "store/outbox/channel-updates.ts",
    find: "return last < at ? at : last;",
    replace: "return at;",
    noticedBy: updates,
  },
  {
    name: "dispatch-clock-behind",
    file: "store/outbox/dispatch-row.ts",
    find: "return last < at ? at : new Date(Date.parse(last) + 1).toISOString();",
    replace: "return at;",
    noticedBy: dispatches,
  },
  {
    name: "dispatch-in-order",
    file: "store/outbox/dispatches.ts",
    find: "(e.at < d.at or (e.at = d.at and e.id < d.id))",
    replace: "(e.at < d.at)",
    noticedBy: dispatches,
  },
  {
    name: "dispatch-not-yet",
    file: "store/outbox/dispatches.ts",
    find: "(d.next_try_at is null or d.next_try_at <= ${at})",
    replace: "(d.next_try_at is null or d.next_try_at >= ${at})",
    noticedBy: dispatches,
  },
  {
    name: "dispatch-lost-is-a-try",
    file: "store/outbox/dispatches.ts",
    find: "tries = case when leased_until is null then tries else tries + 1 end",
    replace: "tries = tries",
    noticedBy: dispatches,
  },
  {
    name: "dispatch-dead-sent",
    file: "store/outbox/dispatches.ts",
    find: "where id = ${id} and state = 'waiting' returning *`);\n        if (row?.turn)",
    replace: "where id = ${id} returning *`);\n        if (row?.turn)",
    noticedBy: dispatches,
  },
  {
    name: "dispatch-erased-turn",
    file: "store/outbox/dispatch-row.ts",
    find: "if (turn !== undefined && erased.has(turn)) continue;",
    replace: "",
    noticedBy: meanwhile,
  },
  {
    name: "dispatch-while-erasing",
    file: "store/outbox/dispatch-row.ts",
    find: "if (kept) await db.run(kept);",
    replace: "",
    noticedBy: meanwhile,
  },
  {
    name: "token-spent-twice",
    file: "store/accounts/tokens.ts",
    find: "and revoked_at is null and (expires_at is null or expires_at > ${at}) returning *",
    replace: "and (expires_at is null or expires_at > ${at}) returning *",
    noticedBy: tokens,
  },
  {
    name: "token-sign-in-opens",
    file: "store/accounts/tokens.ts",
    find: 'const ofApi = ["operator", "user", "agent", "inbox"]',
    replace: 'const ofApi = ["operator", "user", "agent", "inbox", "sign-in"]',
    noticedBy: tokens,
  },
  {
    name: "token-any-spent",
    file: "store/accounts/tokens.ts",
    find: 'ofKinds("sign-in")',
    replace: 'ofKinds("sign-in", "operator")',
    noticedBy: tokens,
  },
  {
    name: "token-whose",
    file: "store/accounts/token-row.ts",
    find: 'user: { user: "one", agent: "any" }',
    replace: 'user: { user: "any", agent: "any" }',
    noticedBy: tokens,
  },
  {
    name: "user-zone-kept",
    file: "store/accounts/users.ts",
    find: "zone === undefined ? sql`zone = users.zone`",
    replace: "zone === undefined ? sql`zone = excluded.zone`",
    noticedBy: users,
  },
  {
    name: "erase-links",
    file: "store/lifecycle/user-rows.ts",
    find: '  "links",\n',
    replace: "",
    noticedBy: erase,
  },
  {
    name: "retain-told-again",
    file: "store/lifecycle/retain.ts",
    find: "at < ${before(at, Math.max(days, toldAgain))}",
    replace: "at < ${before(at, days)}",
    noticedBy: erase,
  },
  {
    name: "checkpoint-older-schedule",
    file: "store/lifecycle/checkpoint-line.ts",
    find: "(kept.usual[name] ?? null)",
    replace: "null",
    noticedBy: migrate,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
