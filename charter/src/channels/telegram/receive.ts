import type { Update } from "grammy/types";
import { decisionWords } from "../../agent/held-question.ts";
import { createBoundedMap } from "../../prompt/bounded-map.ts";
import { preview } from "../../prompt/character.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Link } from "../../store/channels/links.ts";
import { isTransient } from "../transient.ts";
import { type Decision, decisionOf } from "./approval.ts";
import { type Bot, callWithRetry, channel, messageTo, sendText } from "./bot.ts";
import { dispatchesFor } from "./deliver-to.ts";
import { type IncomingText, type IncomingUpdate, incomingOf, sentAt } from "./incoming.ts";
import { maxMessageLength } from "./split.ts";
import * as words from "./wording.ts";

/** What is kept of an update until it is done. */
export type Body =
  | ({ readonly kind: "text" } & IncomingText)
  /** A new session, after what was said before it. */
  | { readonly kind: "new" }
  | { readonly kind: "fixed"; readonly answer: keyof typeof fixedAnswers }
  | { readonly kind: "unreadable"; readonly what: words.Unreadable };

export function fixedWords(body: Exclude<Body, { readonly kind: "text" | "new" }>): string {
  if (body.kind === "unreadable") return words.unreadableWords(body.what);
  // One that waits since before there was as much to say.
  return fixedAnswers[body.answer] ?? words.unreadableWords("other");
}

/** Answers that are the same for everyone. */
const fixedAnswers = {
  help: words.helpWords,
  linked: words.linkedWords,
  "still-linked": words.stillLinkedWords,
} as const;

/**
 * Takes an update in. When its promise resolves, what is to be done about it is kept or done; when it does not, Telegram
 * must be asked for the update again. The same update as often as you like is taken in once.
 *
 * A chat that is nobody's leaves no trace: no row, no line in a log, only one fixed text.
 */
export type Receive = (update: Update) => Promise<void>;

export function createReceive(bot: Bot, wakeWorker: () => void, wakeSender: () => void): Receive {
  const { host, agent, clock } = bot;
  const { store } = host;
  const tenMinutes = 600_000;
  const mayHear = createAllowance({ max: 1, perMs: tenMinutes }, clock);
  const mayTry = createAllowance({ max: 5, perMs: tenMinutes }, clock);
  const mayEnter = createAllowance({ max: 5, perMs: tenMinutes }, clock);
  const hearsTooMany = createAllowance({ max: 1, perMs: tenMinutes }, clock);
  // Telegram lets a bot send so many messages a second: strangers get a part of them.
  const forStrangers = createAllowance({ max: 120, perMs: 60_000 }, clock, 1);
  const tellStranger = (address: string, text: string) => {
    if (forStrangers("all")) sendText(bot, address, text);
  };

  const put = (id: string, link: Pick<Link, "scope" | "address">, body: Body, at?: string) =>
    store.updates.put({
      ...{ scope: link.scope, channel, id, address: link.address, body: JSON.stringify(body) },
      linked: true,
      ...(at === undefined ? {} : { at }),
    });
  /** Such an answer need not wait for a turn that runs. */
  const answer = async (id: string, link: Link, fixed: Parameters<typeof fixedWords>[0]) => {
    if (!(await put(id, link, fixed))) return;
    await store.updates.complete(agent, channel, id, dispatchesFor(link, { text: fixedWords(fixed) }));
    wakeSender();
  };

  const link = async (id: string, { address, code }: Extract<IncomingUpdate, { kind: "code" }>) => {
    if (!mayTry(address)) {
      if (hearsTooMany(address)) tellStranger(address, words.tooManyCodesWords);
      return;
    }
    const made = await store.links.redeem(agent, channel, code, address);
    const now = made ?? (await store.links.find(agent, channel, address));
    if (now) await answer(id, now, { kind: "fixed", answer: made ? "linked" : "still-linked" });
    else tellStranger(address, words.badCodeWords);
  };

  /** At once, and with no row anywhere: what signs someone in is kept by its digest alone. */
  const webLink = async ({ scope, address }: Link): Promise<string> => {
    if (!bot.page || scope.user === undefined) return words.noWebWords;
    return mayEnter(address) ? words.webWords(await bot.page.link(scope.user)) : words.tooManyLinksWords;
  };

  return async (update) => {
    const incoming = incomingOf(update);
    if (incoming === "unreadable") return bot.log("update-unreadable", { update: update.update_id });
    if (!incoming) return;
    const { address } = incoming;
    const id = `${bot.number}-${update.update_id}`;
    if (incoming.kind === "code") return link(id, incoming);
    const known = await store.links.find(agent, channel, address);
    if (!known) {
      if (incoming.kind !== "press" && mayHear(address)) tellStranger(address, words.strangerWords(bot.page?.url));
      return;
    }
    switch (incoming.kind) {
      case "unlink":
        // At once, not after a turn that runs: what that says is not sent any more.
        await store.links.remove(known.scope, channel, address);
        return sendText(bot, address, words.unlinkedWords);
      case "web":
        return sendText(bot, address, await webLink(known));
      case "press": {
        const goOn = await press(bot, known, incoming);
        if (goOn && (await put(goOn.id, known, { kind: "text", text: goOn.text }))) wakeWorker();
        return;
      }
      case "new": {
        if (await put(id, known, { kind: "new" }, sentAt(update))) wakeWorker();
        return;
      }
      case "text": {
        const { address: _, ...body } = incoming;
        if (await put(id, known, body, sentAt(update))) wakeWorker();
        return;
      }
      case "other":
        // Of many photos sent at once it is said once.
        if (incoming.group !== undefined && !mayHear(`${address} ${incoming.group}`)) return;
        return answer(id, known, { kind: "unreadable", what: incoming.what });
      default:
        return answer(id, known, { kind: "fixed", answer: incoming.kind });
    }
  };
}

/** How often something may happen for each key: `most` times, each of them given back after a while. */
type Allowance = (key: string) => boolean;

/** Kept in memory only, for the keys seen last: a crowd of strangers cannot fill it. */
export function createAllowance(
  { max, perMs }: { readonly max: number; readonly perMs: number },
  clock: () => Date,
  keys = 10_000,
): Allowance {
  const spent = createBoundedMap<string, number[]>(keys);
  return (key) => {
    const now = clock().getTime();
    const recent = (spent.get(key) ?? []).filter((at) => at > now - perMs);
    spent.set(key, recent);
    if (recent.length >= max) return false;
    recent.push(now);
    return true;
  };
}

type Press = Extract<IncomingUpdate, { kind: "press" }>;

/** What is said to the agent in the user's name, so that what they approved is done now and not with their next words. */
type FollowUp = { readonly id: string; readonly text: string };

/**
 * Someone pressed a button: the decision is made within their own scope, once; pressed again it says what was decided.
 * The message with the buttons then says so too, and has none any more.
 */
async function press(
  bot: Bot,
  { scope }: Link,
  { address, query, data, message }: Press,
): Promise<FollowUp | undefined> {
  const decision = decisionOf(data);
  const { says, followUp: goOn } = decision
    ? await decide(bot, scope, decision)
    : { says: nothingHere, followUp: undefined };
  bot.runInBackground(async (signal) => {
    await bot.ask((api) => api.answerCallbackQuery({ callback_query_id: query, text: preview(says, 180) }));
    if (!message?.hasButtons) return;
    const place = { chat_id: Number(address), message_id: message.id };
    const text = `${message.text ?? ""}\n\n${says}`.trim();
    const fits = text.length <= maxMessageLength;
    const { fault } = await callWithRetry(bot, signal, () =>
      bot.ask(async (api) =>
        fits
          ? await api.editMessageText({ ...messageTo(address, text), ...place })
          : await api.editMessageReplyMarkup(place),
      ),
    );
    if (!fits) sendText(bot, address, says);
    if (fault) bot.log("telegram-unsent", { reason: fault.reason });
  });
  return goOn;
}

const nothingHere = "There is nothing to decide here.";

type PressReply = { readonly says: string; readonly followUp: FollowUp | undefined };

async function decide({ host, log }: Bot, scope: Link["scope"], { approved, held }: Decision): Promise<PressReply> {
  const only = (says: string): PressReply => ({ says, followUp: undefined });
  try {
    if (!approved) {
      await host.reject(held, scope.user, undefined, scope);
      return only("Rejected.");
    }
    const decided = await host.approve(held, scope.user, scope);
    if ("call" in decided) return { says: "Approved.", followUp: followUpOf(decided.call) };
    if ("tool" in decided) return only("Approved.");
    const { proposal } = decided;
    if (!("refusals" in proposal)) return only("Approved.");
    if (proposal.verdict === "held") return only("Whoever runs me has to approve this, too.");
    return only(`It cannot be done any more: ${proposal.refusals.map(({ because }) => because).join(" ")}`);
  } catch (error) {
    if (!(error instanceof Problem) || isTransient(error)) throw error;
    if (error.code === "already-decided") return decidedBefore(host, scope, held);
    if (error.code === "unknown-proposal" || error.code === "unknown-call") return only(nothingHere);
    if (error.code === "not-allowed") return only("Only whoever runs me can approve this.");
    log("decision-failed", { held, reason: error.code });
    return only("That did not work. Please try again, or tell whoever runs me.");
  }
}

function followUpOf({ id, tool }: { readonly id: string; readonly tool: string }): FollowUp {
  // What it asked for is told by the turn. Here it would be the agent's words in the user's mouth.
  return { id: `approved-${id}`, text: decisionWords({ tool }, true) };
}

/** It may be that we decided it, and died before we said so. */
async function decidedBefore({ store }: Bot["host"], scope: Link["scope"], held: string): Promise<PressReply> {
  const call = await store.calls.get(held, scope).catch(() => undefined);
  const status = call?.status ?? (await store.held.get(held, scope)).status;
  const says = `This was ${status === "rejected" ? "rejected" : "approved"} before.`;
  return { says, followUp: call?.status === "approved" ? followUpOf(call) : undefined };
}
