import { writeSync } from "node:fs";
import { assemble, gather, receiptOf } from "../../../src/index.ts";
import { type ConversationLimits, createStore, postgres, type Store, sqlite } from "../../../src/store/index.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { answerMessage } from "../answer-message.ts";
import { charter, deskOf, rewrite } from "../desk.ts";

/** What the store has said yes to, told the moment it did. */
export type Acknowledged =
  | { readonly did: "amended"; readonly user: string; section: string; revision: number; digest: string }
  | { readonly did: "opened" | "closed"; readonly turn: string }
  | { readonly did: "stepped"; readonly turn: string; step: number; number: number; digest: string; sent: string }
  | { readonly did: "posted"; readonly message: string }
  | { readonly did: "learned"; readonly address: string; readonly tokens: number }
  | { readonly did: "answered"; readonly message: string; readonly reply: string };

export const agent = "ada";
/** So few that every second answer puts somebody out. */
export const limits: ConversationLimits = { exchanges: 3, counterparts: 6, chars: 500 };
const senders = 12;

/** Changes everything that can be changed, as fast as it can, until it is killed. */
async function write(place: string): Promise<void> {
  const home = /^postgres/.test(place) ? postgres(place) : sqlite(place);
  const store = await createStore(home);
  if (!(await store.agents.find(agent))) await store.agents.put({ name: agent, charter: "test" });
  const forever = async (work: () => Promise<void>) => {
    for (;;) await work();
  };
  await Promise.all([() => amend(store), () => take(store), () => answer(store), () => learn(store)].map(forever));
}

/** Straight to the pipe: what was told is told, also when the next instruction is never reached. */
function tell(done: Acknowledged): void {
  writeSync(1, `${JSON.stringify(done)}\n`);
}

const oneOf = (count: number) => Math.floor(Math.random() * count);
const words = () => `${crypto.randomUUID()} has to be remembered. `.repeat(1 + oneOf(40));

async function amend(store: Store): Promise<void> {
  const user = ["", "bo", "cy", "di"][oneOf(4)] as string;
  const section = user === "" ? "goals" : "wishes";
  const scope = user === "" ? { agent } : { agent, user };
  const context = deskOf({ scope, ...(oneOf(2) ? { idempotencyKey: crypto.randomUUID() } : {}) });
  const { amendment } = await store.propose(context, rewrite(words(), { section, reason: words() }));
  if (amendment) tell({ did: "amended", user, section, revision: amendment.revision, digest: amendment.digest });
}

async function take(store: Store): Promise<void> {
  const scope = { agent, user: ["bo", "cy"][oneOf(2)] as string };
  const { id: turn } = await store.turns.open({ scope, input: words() });
  tell({ did: "opened", turn });
  for (let step = 0; step <= oneOf(3); step++) {
    const standing = await store.standings.read(charter, scope);
    const prompt = assemble(charter, await gather(charter, { now: new Date().toISOString(), tools: [], standing }));
    const kept = await store.turns.recordStep(turn, receiptOf(charter, prompt, { sha256 }));
    tell({ did: "stepped", turn, ...kept, sent: sha256(prompt.text) });
    await store.turns.recordResult(turn, kept.step, {
      usage: { input: prompt.text.length, read: null, written: null, output: null },
    });
  }
  const usage = { input: 1, read: 0, written: 0, output: 1 };
  await store.turns.close(turn, { reply: words(), spent: { day: "2026-02-18", receiver: "m1", micros: 1, usage } });
  tell({ did: "closed", turn });
}

/** What is known of a model's window only goes down by guesses. */
async function learn(store: Store): Promise<void> {
  const served = { model: "m1", address: `http://${oneOf(20)}.test/v1` };
  const { address, tokens } = await store.windows.learn({ ...served, tokens: 1000 + oneOf(9000), how: "guessed" });
  tell({ did: "learned", address, tokens });
}

async function answer(store: Store): Promise<void> {
  const { id } = await store.inbox.post({ agent, sender: `Sender-${oneOf(senders)}`, body: words() });
  tell({ did: "posted", message: id });
  for (const message of await store.inbox.claim(agent, "t", { limit: 3, leaseMs: 500 })) {
    const reply = await answerMessage(store.inbox, { agent, message: message.id, reply: words(), turn: "t" }, limits);
    tell({ did: "answered", message: message.id, reply: reply.id });
  }
}

const [, program, url] = process.argv;
if (url !== undefined && program === import.meta.filename) await write(url);
