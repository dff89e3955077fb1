import { stoppedWords } from "../../../src/channels/wording.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { eventually } from "../../eventually.ts";
import { answeredTurns, givenUp, isOpen } from "../aftermath.ts";
import { chat, newScene } from "../started.ts";

export type Killed = {
  readonly kills: number;
  readonly answered: number;
  readonly messages: number;
  /** Messages that were given up after three tries, whose writer was told. */
  readonly givenUp: number;
  /** Replies that came twice: Telegram had them when the process died, and nobody could write that down. */
  readonly twice: number;
  readonly interrupted: number;
  readonly faults: readonly string[];
};

/** `charter start` is killed again and again while someone asks on the web and on Telegram; the last one may go on. */
export async function killCharter(about: { readonly times: number; readonly random: () => number }): Promise<Killed> {
  const { times, random } = about;
  const { store, telegram, start, close } = await newScene();
  const acknowledged = new Map<string, string>();
  const said: string[] = [];
  const faults: string[] = [];
  try {
    for (let round = 1; round <= times + 1; round++) {
      const { bo, child, ended } = await start();
      let over = false;
      const asking = async () => {
        for (let number = 1; !over; number++) {
          const input = `question ${round}-${number}`;
          const answer = await bo("POST /api/agents/ada/turns", { input }).catch(() => undefined);
          if (answer?.status === 200) acknowledged.set(input, answer.body.reply);
        }
      };
      const writing = async () => {
        for (let number = 1; !over; number++) {
          said.push(`message ${round}-${number}`);
          telegram.says(chat, said.at(-1) as string);
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
      };
      const busy = [asking(), writing()];
      await new Promise((resolve) => setTimeout(resolve, 300 + random() * 1500));
      if (round <= times) child.kill("SIGKILL");
      over = true;
      await Promise.all(busy);
      if (round <= times) await ended;
      else {
        await eventually(async () => telegram.pending() === 0 && !(await isOpen(store)));
        child.kill("SIGTERM");
        if ((await ended) !== 0) faults.push("the last one did not end in peace");
      }
    }
    const turns = await answeredTurns(store);
    for (const [input, reply] of acknowledged)
      if (turns.get(input)?.join() !== reply) faults.push(`“${input}” is kept as ${turns.get(input)?.join(", ")}`);
    const lost = await givenUp(store);
    const replies = telegram.textsTo(chat).filter((text) => text !== stoppedWords);
    for (const text of said.filter((one) => !lost.includes(one))) {
      if (turns.get(text)?.length !== 1) faults.push(`“${text}” had ${turns.get(text)?.length ?? 0} answered turns`);
      if (!replies.includes(`Re: ${text}`)) faults.push(`“${text}” was not answered`);
    }
    faults.push(...(await verifyStore(store.home)).faults.map((fault) => JSON.stringify(fault)));
    const interrupted = await store.events.list({ kind: "turn-interrupted", limit: 1000 });
    return {
      kills: times,
      answered: acknowledged.size,
      messages: said.length,
      givenUp: lost.length,
      twice: replies.length - new Set(replies).size,
      interrupted: interrupted.length,
      faults,
    };
  } finally {
    await close();
  }
}
