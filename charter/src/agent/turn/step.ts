import { lastSaid } from "../../delivery/baseline.ts";
import { type Delivery, deliver, prefixOf } from "../../delivery/deliver.ts";
import type { Answer, Message } from "../../delivery/model.ts";
import { type Prediction, predict, prefixIn, type Reusable, reusableOf } from "../../delivery/prediction.ts";
import { isCold } from "../../delivery/receiver.ts";
import { stillSaid } from "../../delivery/update.ts";
import { allSections } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import { receiptOf } from "../../prompt/receipt.ts";
import { sectionScope } from "../../store/scope.ts";
import { sha256 } from "../../store/texts/sha256.ts";
import { ask } from "./ask.ts";
import { beforeStep } from "./before-step.ts";
import { checkGoesOn } from "./deadline.ts";
import { messagesOf } from "./live-session.ts";
import { record } from "./record.ts";
import { checkSpending } from "./spending.ts";
import { type Running, type TurnIdentity, type TurnView, tellPlain, type Working } from "./turn-state.ts";

/**
 * Delivers a prompt, keeps the receipt of it, and asks. What was sent is on record before the model can answer; of a
 * request that was not made (it would be too long, or too dear) nothing is kept, and the session is as it was.
 */
export async function takeStep(working: Working, running: Running, prompt: Prompt): Promise<Answer> {
  const { store, model } = working;
  const { session, declaration, tokenizer } = running.who;
  const step = running.progress.step + 1;
  const added: Message[] = running.progress.entered ? [] : [{ role: "user", text: running.progress.input }];
  const delivery = await place(working, running, prompt, { step, added });
  const hooked = await beforeStep(running.who, delivery, step);
  const prediction = predictionOf(working, running, hooked, delivery);
  // That a person's calls were made is kept whatever stands in the way by now; it was looked at before they were.
  if (running.progress.entered || !running.progress.acted) await checkPrediction(working, running, prediction);
  if (delivery.added !== added) tellPlain(running.who);
  running.progress.input = inputIn(delivery) ?? running.progress.input;
  const { placements, history, predicted } = prediction;
  const keeping = { sha256, tokenizer, receiver: model.receiver.name, placements, history, predicted };
  const { baseline } = delivery;
  await store.turns.step(running.who.id, {
    ...receiptOf(declaration.charter, prompt, keeping),
    scope: running.who.scope,
    tainted: running.progress.tainted,
    ...(baseline === session.kept ? {} : { session: { touch: true, baseline } }),
  });
  running.progress.step = step;
  running.bill.predicted = predicted;
  const { entered, acted, input } = running.progress;
  running.progress.came = entered ? {} : { input, ...(acted ? { acted: true } : {}) };
  if (running.progress.came.acted) await record(working, running, running.progress.came);
  takeOver(running, delivery);
  running.who.tell({ kind: "step-start", step, became: delivery.became, predicted });
  const askedAt = working.clock().getTime();
  const answer = await ask(working, running, hooked.request);
  // Of a request nobody answered the provider may have kept nothing.
  session.sent = sharedMessages(hooked.history, delivery.history);
  session.prefix = prefixIn(delivery);
  session.askedAt = askedAt;
  return answer;
}

/** The user's message as it is sent: what is kept of it is the same. */
function inputIn({ added }: Delivery): string | undefined {
  const [input] = added;
  return input && "text" in input ? input.text : undefined;
}

/** Would the turn's first request be made, as far as it is known? */
export async function checkRequest(working: Working, running: TurnView, prompt: Prompt): Promise<void> {
  const added: Message[] = [{ role: "user", text: running.progress.input }];
  const delivery = await place(working, running, prompt, { step: running.progress.step + 1, added });
  await checkPrediction(working, running, predictionOf(working, running, delivery, delivery));
}

function predictionOf(working: Working, running: TurnView, hooked: Delivery, delivery: Delivery): Prediction {
  const reusable = stillCached(working, running.who, hooked, delivery);
  return predict(hooked, working.model.receiver, { reusable, tokenizer: running.who.tokenizer, sha256 });
}

async function checkPrediction(working: Working, running: TurnView, prediction: Prediction): Promise<void> {
  checkWindow(working, prediction);
  await checkSpending(working, { scope: running.who.scope, owed: running.bill.owed }, prediction.predicted);
  checkGoesOn(running.who.signal);
}

type Placing = { readonly step: number; readonly added: readonly Message[] };

async function place(working: Working, running: TurnView, prompt: Prompt, { step, added }: Placing): Promise<Delivery> {
  const { model, newSecret } = working;
  const { session, declaration, toolset, id, tokenizer } = running.who;
  const { anew } = running.progress;
  const { charter } = declaration;
  const receiver = running.words.replaced ? { ...model.receiver, slots: "one-string" as const } : model.receiver;
  const removed = await removedSections(working, running.who, prompt);
  const delivery = deliver({
    charter,
    prompt,
    besides: running.words.besides,
    receiver,
    offers: toolset.offers,
    baseline: session.baseline,
    past: [...messagesOf(session.stretches), ...running.progress.messages],
    added,
    sent: session.sent,
    turn: id,
    step,
    cold: isCold(model.receiver, session.askedAt, working.clock()),
    removed: (section) => removed.has(section),
    secret: session.baseline?.secret ?? newSecret(),
    sha256,
    tokenizer,
    cacheKey: session.id,
    ...(anew === undefined ? {} : { anew }),
  });
  if (!running.words.replaced) return delivery;
  const { text } = running.words.replaced;
  const placements = [{ slot: "system", sections: [running.words.replaced] }];
  return { ...delivery, placements, request: { ...delivery.request, system: [{ text }] } };
}

/** The session and the turn go on with what was sent. */
function takeOver(running: Pick<Running, "who" | "progress">, delivery: Delivery): void {
  const { session } = running.who;
  const { baseline, became, said, added } = delivery;
  session.baseline = baseline;
  session.kept = baseline;
  running.progress.anew = undefined;
  running.progress.entered = true;
  if (became.how === "folded") {
    session.stretches = session.stretches.map((one) => ({ ...one, messages: stillSaid(one.messages, baseline) }));
    running.progress.messages = stillSaid(running.progress.messages, baseline);
    session.sent = 0;
  }
  running.progress.messages = [...running.progress.messages, ...said, ...added];
}

/**
 * Sections whose words changed by a hand that takes words back: the operator's, or a return to earlier ones. What such
 * a hand removed must not stay in the prefix beside what replaced it.
 */
async function removedSections({ store }: Working, who: TurnIdentity, prompt: Prompt): Promise<Set<string>> {
  const { session, scope, declaration } = who;
  const removed = new Set<string>();
  const { baseline } = session;
  if (!baseline) return removed;
  const now = new Map(prompt.sections.map((section) => [section.name, section]));
  const sections = new Map(allSections(declaration.charter).map(({ section }) => [section.name, section]));
  const names = new Set([...baseline.words.map(({ name }) => name), ...baseline.updates.map(({ section }) => section)]);
  for (const name of names) {
    const said = lastSaid(baseline, name);
    if (!said || said.revision === null) continue;
    const section = sections.get(name);
    const revision = now.get(name)?.revision ?? null;
    if (section && revision === said.revision) continue;
    if (!section || (revision !== null && revision < said.revision)) {
      removed.add(name);
      continue;
    }
    if (section.scope === "user" && scope.user === undefined) continue; // without a user it is nobody's to amend
    const page = { limit: Math.min(100, Math.max(1, (revision ?? said.revision + 100) - said.revision)) };
    const since = await store.history.list(sectionScope(section, scope), name, page);
    const takesBack = since.some(
      (one) =>
        one.revision > (said.revision as number) &&
        (one.actor === "operator" || one.operation === "reset" || one.operation === "revert"),
    );
    if (takesBack || since.length === 100) removed.add(name);
  }
  return removed;
}

/** What the provider may still have of the request before. What another process sent is made again from the baseline. */
export function stillCached(
  working: Working,
  { session, declaration, tokenizer }: TurnIdentity,
  delivery: Delivery,
  placed = delivery,
): Reusable | null {
  const { baseline: before } = session;
  const { receiver } = working.model;
  if (!before || isCold(receiver, session.askedAt, working.clock())) return null;
  const prefix = session.prefix ?? prefixOf(before, { ...declaration, receiver, sha256, tokenizer });
  const folded = delivery.became.how === "folded";
  const messages = folded ? 0 : Math.min(session.sent, sharedMessages(delivery.history, placed.history));
  return reusableOf(delivery, { prefix, messages, offers: before.offers }, declaration.charter, receiver);
}

/** With how many of the same messages two histories begin: a hook may have changed what was sent of one. */
function sharedMessages(one: readonly Message[], other: readonly Message[]): number {
  if (one === other) return one.length;
  const differs = one.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(other[index]));
  return differs === -1 ? one.length : differs;
}

function checkWindow({ model }: Working, { total }: Prediction): void {
  const { window, name } = model.receiver;
  if (window === null || total <= window) return;
  throw new Problem(
    "request-too-long",
    `The request has ${total} tokens, and ${name} takes ${window}.`,
    "Lower the threshold at which histories are compacted, start a new session, or choose a model with more room.",
  );
}
