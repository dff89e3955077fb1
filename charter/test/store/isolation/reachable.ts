import { assemble, gather, receiptOf } from "../../../src/index.ts";
import { bringNotes, findPreviousImport } from "../../../src/store/import/import-notes.ts";
import type { Store } from "../../../src/store/index.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { createTexts } from "../../../src/store/texts/text.ts";
import { charter, deskOf, rewrite } from "../desk.ts";
import type { Written } from "./isolation-kinds.ts";

type Scope = { readonly agent: string; readonly user: string };

/** Refused or failed: what is said of it is learnt as well. */
const tried = (work: () => Promise<unknown>) => work().catch((problem: Error) => problem.message);

const asked = ["", "secret", "number", "secret-of-a", "secret-of-b", "secret-of-c", "cret", '"secret of b"'];

/** Everything that can be learnt through one scope, by every function that takes one, asked for everyone's ids. */
export async function reachable(store: Store, agent: string, user: string, all: Written): Promise<string> {
  const scope = { agent, user };
  const desk = deskOf({ scope });
  const revert = (to: number) => ({
    ...rewrite("x", { section: "wishes" }),
    operation: { kind: "revert", to } as const,
  });
  const asks: readonly (() => Promise<unknown>)[] = [
    () => store.standings.read(charter, scope),
    () => store.history.list(scope, "wishes"),
    () => store.history.listWhole(scope, "wishes"),
    () => store.history.sections(scope),
    () => store.memory.list(scope, { limit: 1000 }),
    () => store.memory.count(scope),
    () => store.history.between([{ scope, section: "wishes", after: 0, upTo: 99 }]),
    () => store.sessions.latest(scope),
    () => store.sessions.latest(scope, "web"),
    () => store.sessions.list({ agent, user }),
    () => store.sessions.list({ agent, user, words: "secret", sort: "cost" }),
    () => store.sessions.count({ agent, user }),
    () => store.sessions.countSingle({ agent, user }),
    () => store.turns.list({ agent, user }),
    () => store.turns.list({ agent, user, words: "secret" }),
    () => store.turns.list({ agent, user, event: "held" }),
    () => store.turns.count({ agent, user }),
    () => store.events.list({ agent, user, limit: 1000 }),
    () => store.schedules.list({ agent, user }),
    () => store.held.list({ agent, user }),
    () => store.held.count({ agent, user }),
    () => store.calls.list({ agent, user }),
    () => store.calls.claim(scope),
    () => store.runs.list({ agent, user }),
    () => store.links.of(scope),
    () => store.dispatches.list({ agent, user }),
    () => store.conversations.read(agent, user),
    () => store.conversations.list(agent, { counterpart: user }),
    () => store.conversations.count(agent, { counterpart: user }),
    () => store.inbox.knows(agent, user),
    () => store.spending.sums({ agent, user }),
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((revision) => () => store.history.at(scope, "wishes", revision)),
    ...asked.map((query) => async () => (await store.memory.search(scope, query, { limit: 1000 })).notes),
    ...all.turns.flatMap((id) => [
      () => store.turns.get(id, scope),
      () => store.turns.contextOf(id, scope),
      () => store.steps.of(id, scope),
      async () => (await store.steps.replay(id, undefined, scope)).slots,
      async () => (await store.steps.replay(id, 1, scope)).slots,
      async () => [...(await store.held.causes([{ id, scope, turn: id, at: "2100", step: 1 }]))],
    ]),
    ...all.sessions.flatMap((id) => [
      () => store.sessions.get(id, scope),
      () => store.sessions.newestTurn(id, scope),
      () => store.sessions.history(id, {}, scope),
      () => store.sessions.since(id, all.turns[0] ?? "", scope),
      () => store.turns.list({ agent, user, session: id, told: true }),
    ]),
    ...all.notes.map((id) => () => store.memory.find(scope, { id })),
    ...all.runs.map((id) => () => store.runs.get(id, scope)),
    ...all.schedules.map((id) => () => store.schedules.get(id, scope)),
    ...all.calls.map((id) => () => store.calls.get(id, scope)),
    ...all.held.map((id) => () => store.held.get(id, scope)),
    ...all.attachments.flatMap((digest) => [
      async () => Buffer.from((await store.attachments.get(scope, digest)).data).toString(),
      async () =>
        [...(await store.attachments.getAll(scope, [digest]))].map(([, data]) => Buffer.from(data).toString()),
    ]),
    ...[1, 2, 3].map((to) => () => store.propose(desk, revert(to))),
    ...[1, 2, 3].map((to) => () => store.judge(desk, revert(to))),
  ];
  const learnt: unknown[] = [];
  for (const ask of asks) learnt.push(await tried(ask));
  return JSON.stringify(learnt);
}

/** Everything that can be done through one scope to what has these ids, whoever's they are. What came of it. */
export async function mischief(store: Store, scope: Scope, all: Written): Promise<string> {
  const { agent, user } = scope;
  const words = `words of ${user}`;
  const at = "2026-02-18T00:00:00.000Z";
  const now = () => at;
  const standing = await store.standings.read(charter, scope);
  const prompt = assemble(charter, await gather(charter, { now: "2026-02-18T00:00:00Z", tools: [], standing }));
  const usage = { input: 1, read: 0, written: 0, output: 1 };
  const spent = { day: "2026-02-18", receiver: "r", micros: 1, usage };
  const memory = store.memory.withEmbedder({ name: "letters", embed: async (texts) => texts.map(() => [1, 2]) });
  const touch = { touch: true, baseline: words } as const;
  const acts: readonly (() => Promise<unknown>)[] = [
    ...all.notes.flatMap((id) => [
      () => store.memory.forget(scope, id),
      () => memory.update(scope, id, { text: words }),
    ]),
    () => memory.save(scope, { text: words, key: "k" }),
    () => memory.save(scope, { text: words, key: "k" }),
    () => memory.find(scope, { key: "k" }),
    async () => (await memory.search(scope, "secret words")).notes,
    ...all.schedules.map((id) => () => store.schedules.cancel(scope, id)),
    ...all.addresses.flatMap((address) => [
      () => store.links.remove(scope, "telegram", address),
      () => store.updates.put({ scope, channel: "telegram", id: sha256(address), address, body: words }),
    ]),
    ...all.turns.flatMap((id) => [
      () => store.turns.recordStep(id, { ...receiptOf(charter, prompt, { sha256 }), scope, session: touch }),
      () => store.turns.recordResult(id, 1, { partial: words }, { scope, spent }),
      () => store.turns.close(id, { reply: words, scope, spent, session: touch }),
      () => store.turns.open({ scope, input: words, id }),
      () => store.calls.hold(scope, { turn: id, step: 1, call: "c2", tool: "t", input: { words }, reason: words }),
      () => store.memory.save(scope, { text: words, turn: id }),
    ]),
    ...all.sessions.map((session) => async () => {
      const { id } = await store.turns.open({ scope, input: words, session, inSession: true });
      return store.turns.close(id, { reply: words, scope, session: touch });
    }),
    () => bringNotes({ home: store.home, now, newId: () => sha256(words), dryRun: false }, scope, { text: words, at }),
    () => findPreviousImport({ home: store.home, texts: createTexts() }, scope, "wishes", "supabase", words),
    () => store.memory.vouch({ agent, user, by: "olga" }),
    () => store.memory.disown({ agent, user, by: "olga" }),
    () => store.events.recordOnce({ scope, kind: "said", detail: { words } }),
    () => store.spending.add(scope, spent),
    () => store.users.put({ id: user, zone: "UTC", by: { agent, turn: all.turns[0] ?? "" } }),
    () => store.propose(deskOf({ scope }), rewrite(words, { section: "wishes" })),
    () => store.history.has(scope, "wishes", words),
    () => store.identities.remove({ user, agent }),
  ];
  const came: unknown[] = [];
  for (const act of acts) came.push(await tried(act));
  for (const { id } of await store.held.list({ agent, user }))
    came.push(await tried(() => store.held.approve(id, "olga", deskOf({ scope }))));
  for (const { id } of await store.held.list({ agent, user }))
    came.push(await tried(() => store.held.reject(id, "olga", words)));
  for (const { id } of await store.calls.list({ agent, user })) {
    came.push(await tried(() => store.calls.approve(id, "olga")), await tried(() => store.calls.claim(scope)));
    came.push(await tried(() => store.calls.finish(id, { status: "done", result: words })));
  }
  // What was not there is called by the name it was given.
  return all.addresses.reduce((text, address) => text.replaceAll(address, ""), JSON.stringify(came));
}

/** Everything that an agent does with what it publishes, by the id of it. */
export async function published(store: Store, agent: string, id: string): Promise<string> {
  const { publications } = store;
  const place = { agent, section: "goals", address: id };
  const told = { taken: [], missed: [] };
  const head = { id, createdAt: 9, digest: null, place: null };
  const came: unknown[] = [];
  for (const act of [
    () => publications.list({ agent }),
    () => publications.find(agent, id),
    () => publications.state(place),
    () => publications.noteSeen(place, head),
    () => publications.retryAt(agent, id, [], "2030-01-01T00:00:00.000Z"),
    () => publications.settle(agent, id, { ...told, state: "published", seen: head }),
    () => publications.noteSent(agent, id, told),
  ])
    came.push(await tried(act));
  return JSON.stringify(came);
}
