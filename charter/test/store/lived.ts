import { assemble, gather, type Prompt, receiptOf, type Scope, type SourceContext } from "../../src/index.ts";
import type { Store } from "../../src/store/index.ts";
import { sha256 } from "../../src/store/texts/packing.ts";
import { answerMessage } from "./answer-message.ts";
import { attachmentOf } from "./attachment.ts";
import { charter, deskOf, rewrite } from "./desk.ts";

/** The prompt of the test's charter with the words that stand now. */
export async function promptFor(store: Store, agent: string, user?: string): Promise<Prompt> {
  const scope = { agent, ...(user === undefined ? {} : { user }) };
  const standing = await store.standings.read(charter, scope);
  const turn: SourceContext = { ...scope, now: new Date(0).toISOString(), tools: [], standing };
  return assemble(charter, await gather(charter, turn));
}

const usage = { input: 12, read: null, written: null, output: null };

/** One turn of one step, with its receipt, its reply and what came of it. */
export async function take(store: Store, agent: string, user: string | undefined, input: string): Promise<string> {
  const scope = { agent, ...(user === undefined ? {} : { user }) };
  const attachments = [attachmentOf(`A file about ${input}`, `${input.slice(0, 40)}.txt`)];
  const { id } = await store.turns.open({ scope, input, channel: "web", attachments });
  const prompt = await promptFor(store, agent, user);
  const identity = { slot: "first-message", sent: true };
  const { step } = await store.turns.recordStep(id, receiptOf(charter, prompt, { sha256, identity }));
  const paths = [`/home/${user}/${input}`];
  const ownTools = [{ id: "t1", title: `Read ${input}`, kind: "read", status: "done" as const, paths }];
  await store.turns.recordResult(id, step, { usage, partial: `about ${input}`, ownTools });
  await store.turns.close(id, { reply: `You said: ${input}` });
  return id;
}

/** Long enough to be packed, and each much like the one before. */
export function longWords(mark: string, index: number): string {
  const lines = Array.from(
    { length: 12 },
    (_, line) => `${line}. Remember what was agreed with ${mark} about matter ${line * 7}.`,
  );
  return `${lines.join("\n")}\nThe ${mark} of day ${index}.`;
}

/** A call that was held, approved, made and told of, in words of the user's. */
async function holdCall(store: Store, scope: Scope, turn: string, mark: string): Promise<void> {
  const reason = `${mark} page`;
  const call = { turn, step: 1, call: "c1", tool: "send_mail", input: { to: `${mark} address` }, reason };
  const { id } = await store.calls.hold(scope, call);
  await store.calls.approve(id, "olga");
  await store.calls.claim(scope);
  await store.calls.finish(id, { status: "done", result: `${mark} was sent` });
  const input = { kind: "execute", title: `${mark} make`, paths: [], input: { command: `${mark} all` } };
  await store.calls.hold(scope, { ...call, call: "p1", tool: "acp:execute", input });
}

/** A schedule that is over, and the one run it came to. */
async function miss(store: Store, scope: Scope, mark: string): Promise<void> {
  const dueAt = "2026-01-01T00:00:00.000Z";
  await store.schedules.add({ scope, title: `${mark} past`, input: `${mark} too late`, nextAt: dueAt });
  const run = { dueAt, state: "missed", reason: `${mark} slept` } as const;
  await store.schedules.plan(() => ({ runs: [run], nextAt: null }));
}

/** A linked chat; what came from there and is done, waits or is dead; what was sent there and what waits. */
async function chat(store: Store, { agent, user }: Scope & { user: string }, mark: string): Promise<void> {
  const scope = { agent, user };
  const [channel, address] = ["telegram", `${mark} chat of ${user}`];
  const { code } = await store.links.createCode(scope, channel);
  await store.links.redeem(agent, channel, code, address);
  await store.links.createCode(scope, channel);
  const [invitation] = (await store.invitations.create([scope])).made;
  await store.identities.bind(invitation?.id ?? "", { issuer: "https://id.example.com", subject: address });
  const piece = (body: string) => ({ scope, channel, address, body, extra: { buttons: [`${mark} yes`] } });
  for (const id of ["done", "dead", "waits"]) {
    const update = { scope, channel, id: `${id}-${user}`, address, body: `${mark} ${id} of ${user} ${agent}` };
    await store.updates.put(update);
    for (let tries = 0; id === "dead" && tries < 3; tries++) {
      await store.updates.claim(agent, channel);
      await store.updates.fail(agent, channel, update.id, `${mark} failure`);
    }
    if (id !== "done") continue;
    await store.updates.claim(agent, channel);
    await store.updates.complete(agent, channel, update.id, [piece(`${mark} sent`), piece(`${mark} later`)]);
  }
  const [sent] = await store.dispatches.claim(agent, channel);
  await store.dispatches.markSent(sent?.id as string);
  const [waits] = await store.dispatches.claim(agent, channel);
  await store.dispatches.retryAt(waits?.id as string, `${mark} down`, "2027-01-01T00:00:00Z");
}

/** A store in which something of everything has happened, for two agents and two users. Gives the turns' ids. */
export async function live(store: Store, mark = "blackbird"): Promise<string[]> {
  await store.agents.put({ name: "eve", charter: "test", model: "m1", settings: { soul: "curious" } });
  await store.users.put({ id: "bo", zone: "Europe/Berlin" });
  await store.users.put({ id: "cy" });
  await store.tokens.create({ name: "for the web", kind: "operator" });
  const turns: string[] = [];
  for (const agent of ["ada", "eve"]) {
    for (let index = 0; index < 4; index++) {
      await store.propose(
        deskOf({ scope: { agent } }),
        rewrite(longWords(`goals of ${agent}`, index), { reason: "it grows" }),
      );
      for (const user of ["bo", "cy"]) {
        const scope = { agent, user };
        const context = deskOf({ scope, idempotencyKey: `${agent}-${user}-${index}` });
        const wish = rewrite(longWords(`${mark} ${user} ${agent}`, index), {
          section: "wishes",
          actor: "user",
          reason: `${mark} why`,
        });
        await store.propose(context, wish);
        turns.push(await take(store, agent, user, `${mark} input ${user} ${index}`));
      }
    }
    const holding = { guards: [() => ({ guard: "needs-approval", because: "ask first", holds: true as const })] };
    await store.propose(
      deskOf({ scope: { agent, user: "bo" }, rules: () => holding }),
      rewrite(`${mark} held`, { section: "wishes" }),
    );
    for (const user of ["bo", "cy"]) {
      const scope = { agent, user };
      await store.memory.save(scope, { text: `${mark} note of ${user}`, key: "tea" });
      await store.memory.save(scope, { text: `${mark} second note of ${user}` });
      const session = await store.sessions.open({ scope, receiver: "m1", baseline: { words: `${mark} baseline` } });
      await store.sessions.end(session.id);
      await store.schedules.add({
        scope,
        title: `${mark} title`,
        input: `${mark} wake`,
        nextAt: "2027-01-01T00:00:00Z",
      });
      await store.inbox.post({ agent, sender: user, body: `${mark} letter`, id: `m-${user}` });
      await store.inbox.claim(agent, turns.at(-1) as string);
      await answerMessage(store.inbox, {
        agent,
        message: `m-${user}`,
        reply: `${mark} answer`,
        turn: turns.at(-1) as string,
      });
      await store.events.record({ scope, kind: "noticed", detail: { words: `${mark} detail` } });
      const usage = { input: 12, read: 5, written: null, output: 3 };
      await store.spending.add(scope, { day: "2026-02-18", receiver: "m1", micros: 1200, usage });
      await miss(store, scope, mark);
      await chat(store, scope, mark);
      await holdCall(store, scope, turns.findLast((_, index) => index % 2 === (user === "bo" ? 0 : 1)) as string, mark);
    }
    await store.inbox.post({ agent, sender: "Dee", body: "waits", id: "m-dee" });
  }
  return turns;
}
