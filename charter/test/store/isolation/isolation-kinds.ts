import { quietTurn } from "../../../src/amend/guard.ts";
import { assemble, gather, needsApproval, receiptOf } from "../../../src/index.ts";
import { sql } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { answerMessage } from "../answer-message.ts";
import { attachmentOf } from "../attachment.ts";
import { chainPost, postByChain } from "../chain-post.ts";
import { charter, deskOf, rewrite } from "../desk.ts";

export const users = ["a", "b", "c"] as const;
export type User = (typeof users)[number];
/** The ids of what was written, by which one could try to get at it. */
export type Written = Record<
  "notes" | "turns" | "sessions" | "schedules" | "calls" | "held" | "addresses" | "attachments" | "runs",
  string[]
>;

/** Words that give away whose they are, and long enough to be packed. */
export const secret = (user: string, index: number) => `secret-of-${user} number ${index}. `.repeat(12);

/** One of every kind of row, for one user. */
export const kinds: readonly ((
  store: Store,
  agent: string,
  user: string,
  words: string,
  out: Written,
) => Promise<unknown>)[] = [
  async (store, agent, user, words) => {
    const scope = { agent, user };
    await store.propose(deskOf({ scope, idempotencyKey: sha256(words) }), {
      ...rewrite(words, { reason: words, actor: "user" }),
      section: "wishes",
    });
  },
  async (store, agent, user, words, out) => {
    const rules = () => ({ guards: [needsApproval] });
    const context = deskOf({ scope: { agent, user }, rules, turn: { ...quietTurn, tainted: true } });
    const { held } = await store.propose(context, rewrite(words, { section: "wishes" }));
    if (held !== undefined) out.held.push(held);
  },
  async (store, agent, user, text, out) => {
    const { id } = await store.memory.save({ agent, user }, { text });
    out.notes.push(id);
    await store.home.write({ agent, user }, (db) =>
      db.run(sql`insert into vectors (agent, user_id, note, embedder, vector)
        values (${agent}, ${user}, ${id}, 'letters', ${new TextEncoder().encode(text)})`),
    );
  },
  async (store, agent, user, words) => {
    const { id } = await store.inbox.post({ agent, sender: user.toUpperCase(), body: words });
    await store.inbox.claim(agent, "t");
    await answerMessage(store.inbox, { agent, message: id, reply: words, turn: "t" });
  },
  async (store, agent, user, words, out) => {
    const standing = await store.standings.read(charter, { agent, user });
    const { id: session } = await store.sessions.open({ scope: { agent, user }, receiver: "r" });
    const attachments = [attachmentOf(words)];
    const { id } = await store.turns.open({
      ...{ scope: { agent, user }, input: words, session, attachments, context: { words } },
    });
    const prompt = assemble(charter, await gather(charter, { now: "2026-02-18T00:00:00Z", tools: [], standing }));
    await store.turns.recordStep(id, receiptOf(charter, prompt, { sha256 }));
    await store.turns.recordResult(id, 1, { partial: words });
    const usage = { input: 1, read: 0, written: 0, output: 1 };
    await store.turns.close(id, { reply: words, spent: { day: "2026-02-18", receiver: "r", micros: 1, usage } });
    out.turns.push(id);
    out.sessions.push(session);
    out.attachments.push(...attachments.map(({ digest }) => digest));
  },
  async (store, agent, user, words, out) => {
    out.sessions.push((await store.sessions.open({ scope: { agent, user }, receiver: "r", baseline: words })).id);
  },
  async (store, agent, user, words) => store.events.record({ scope: { agent, user }, kind: "said", detail: { words } }),
  async (store, agent, user, words, out) => {
    const plan = { scope: { agent, user }, title: words, input: words, nextAt: "2030-01-01T00:00:00Z" };
    out.schedules.push((await store.schedules.add(plan)).id);
  },
  async (store, agent, user, words, out) => {
    const { id: turn } = await store.turns.open({ scope: { agent, user }, input: "?" });
    const call = { turn, step: 1, call: "c1", tool: "send_mail", input: { words }, reason: words };
    out.calls.push((await store.calls.hold({ agent, user }, call)).id);
  },
  async (store, agent, user, words, out) => {
    const [scope, channel, address] = [{ agent, user }, "telegram", `chat of ${words.slice(0, 40).trim()}`];
    const { code } = await store.links.createCode(scope, channel);
    await store.links.redeem(agent, channel, code, address);
    await store.links.createCode(scope, channel);
    out.addresses.push(address);
    const [invitation] = (await store.invitations.create([scope], { again: true })).made;
    // Each time at another issuer: with one, a user is one person.
    const issuer = `https://id.example.com/${sha256(address)}`;
    await store.identities.bind(invitation?.id ?? "", { issuer, subject: address });
    await store.updates.put({ scope, channel, id: sha256(address), address, body: words });
    const [sent] = await store.dispatches.add([{ scope, channel, address, body: words, extra: { words } }]);
    await store.dispatches.retryAt(sent?.id as string, words, "2030-01-01T00:00:00Z");
  },
  async (store, agent, user, words, out) => {
    const dueAt = "2020-01-01T00:00:00.000Z";
    const { id } = await store.schedules.add({ scope: { agent, user }, title: words, input: words, nextAt: dueAt });
    const run = { dueAt, state: "missed", reason: words } as const;
    await store.schedules.plan(() => ({ runs: [run], nextAt: null }));
    for (const missed of await store.runs.list({ schedule: id })) out.runs.push(missed.id);
  },
  async (store, agent, user, words) => {
    const place = { agent, chain: 1, contract: `0x${sha256(words).slice(0, 40)}` };
    await postByChain(store, place, chainPost({ sender: user, body: words }), words);
  },
];

export const nothingWritten = (): Written => ({
  notes: [],
  turns: [],
  sessions: [],
  schedules: [],
  calls: [],
  held: [],
  addresses: [],
  attachments: [],
  runs: [],
});
