import type { Update } from "grammy/types";
import type { Link } from "../../store/channels/links.ts";
import { createAllowance } from "./allowance.ts";
import { type Bot, channel, sendText } from "./bot.ts";
import { dispatchesFor } from "./deliver-to.ts";
import { type IncomingText, type IncomingUpdate, incomingOf, sentAt } from "./incoming.ts";
import { press } from "./press.ts";
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
