import { stoppedWords } from "../../../src/channels/wording.ts";
import { markAbandonedTurns } from "../../../src/server/open.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { eventually } from "../../eventually.ts";
import { newPostgres } from "../../homes.ts";
import type { Server } from "../../postgres.ts";
import { findRunFaults } from "../../scheduled/kill-check.ts";
import { startTelegram } from "../../telegram/fake.ts";
import { answeredTurns, givenUp, isOpen } from "../aftermath.ts";
import { answering, linkChat, startBusy } from "../busy.ts";
import { movedClock } from "../clock.ts";
import { startLoad } from "../load.ts";
import { openService } from "../opened.ts";

export type Restarted = {
  readonly restarts: number;
  /** Turns that were answered with 200, and with 503. */
  readonly answered: number;
  readonly refused: number;
  readonly messages: number;
  /** Messages that were given up after three tries, whose writers were told. */
  readonly givenUp: number;
  /** Messages of the bot's that came twice: Telegram had them, and the database did not hear of it in time. */
  readonly twice: number;
  readonly runs: number;
  readonly reported: number;
  readonly faults: readonly string[];
};

/** So much faster the leases run out that someone held when the database went away. */
const haste = 20;

/**
 * A database that goes away and comes back while people ask on the web and on Telegram and schedules are due. Whoever
 * asks meanwhile is told so; nothing that was acknowledged is lost; and all of it goes on by itself.
 */
export async function restartPostgres(server: Server, about: { times: number; awayMs: number }): Promise<Restarted> {
  const place = await newPostgres(server.url, "empty");
  const clock = movedClock();
  const telegram = await startTelegram({ clock });
  const config = { limits: { turnSeconds: 60 } };
  const service = await openService(place, { model: answering, telegram, clock, config });
  const { store, as, token } = service;
  const faults: string[] = [];
  const seen = new Set<string>();
  const unwatch = await store.events.watch(({ detail }) => seen.add(String(detail.key)));
  try {
    const chats = [1, 2, 3];
    for (const chat of chats) await linkChat(store, telegram, { user: `user-${chat}`, chat });
    await linkChat(store, telegram, { user: "bo", chat: 9 });
    const people = await Promise.all(["bo", "cy", "di", "ed"].map((user) => token({ kind: "user", user })));
    const load = startLoad(people.map(as), "ada");
    const busy = startBusy({ telegram, chats, clock, ask: as(people[0]) });
    for (let restart = 0; restart < about.times; restart++) {
      await load.until(200, 10);
      await server.down(restart % 2 === 0 ? "at once" : undefined);
      await load.until(503, 4);
      await new Promise((resolve) => setTimeout(resolve, about.awayMs));
      await server.up();
      await load.until(200, 10);
    }
    await busy.stop();
    await load.stop();
    faults.push(...load.faults);
    for (const { status, code } of load.came)
      if (status !== 200 && code !== "store-unreachable") faults.push(`someone was told ${status} ${code}`);
    // Another process would mark what nobody could close while the database was away, within a minute.
    clock.hurry(haste);
    const stopMarking = await markAbandonedTurns(store, 200);
    await eventually(async () => telegram.pending() === 0 && !(await isOpen(store)));
    await stopMarking();

    // Whoever watches hears of what happens now.
    await store.events.record({ scope: { agent: "ada" }, kind: "test", detail: { key: "after" } });
    await eventually(() => seen.has("after"));
    const acknowledged = load.came.filter(({ status }) => status === 200);
    const turns = await answeredTurns(store);
    for (const { input, reply } of acknowledged)
      if (turns.get(input)?.join() !== reply) faults.push(`“${input}” is kept as ${turns.get(input)?.join(", ")}`);
    let twice = 0;
    const lost = await givenUp(store);
    for (const [chat, texts] of busy.said) {
      const replies = telegram.textsTo(chat).filter((text) => text !== stoppedWords);
      twice += replies.length - new Set(replies).size;
      for (const text of texts.filter((one) => !lost.includes(one))) {
        if (turns.get(text)?.length !== 1) faults.push(`“${text}” had ${turns.get(text)?.length ?? 0} answered turns`);
        if (!replies.includes(`Re: ${text}`)) faults.push(`“${text}” was not answered`);
      }
    }
    const runs = await findRunFaults(store, { agent: "ada", user: "bo" });
    if (runs.schedules < busy.scheduled.length) faults.push(`of ${busy.scheduled.length} schedules some are not there`);
    faults.push(...runs.faults, ...(await verifyStore(store.home)).faults.map((fault) => JSON.stringify(fault)));
    return {
      restarts: about.times,
      answered: acknowledged.length,
      refused: load.came.length - acknowledged.length,
      messages: [...busy.said.values()].flat().length,
      givenUp: lost.length,
      twice,
      runs: runs.schedules,
      reported: runs.reported,
      faults,
    };
  } finally {
    await unwatch();
    await service.close();
    await telegram.close();
    await place.remove();
  }
}
