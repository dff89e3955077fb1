import type { Host } from "../../host/host.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import type { Sleep } from "../loop.ts";
import type { UserPage } from "../user-page.ts";
import type { BotAnswer, CallBotApi } from "./bot-api.ts";
import type { DownloadBotFile } from "./bot-file.ts";

export const channel = "telegram";

/** One bot of one agent, and all that its parts share. */
export type Bot = {
  readonly host: Host;
  readonly agent: string;
  /** The bot's own number: the first half of its token, which is no secret. */
  readonly number: string;
  readonly ask: CallBotApi;
  readonly download: DownloadBotFile;
  readonly page?: UserPage | undefined;
  readonly clock: () => Date;
  readonly sleep: Sleep;
  readonly random: () => number;
  /** Tells the operator; never a user's words, nor the token. */
  readonly log: (kind: string, about?: Readonly<Record<string, unknown>>) => void;
  /** Something that is done on the side: nobody waits for it but the end, and it never fails. */
  readonly runInBackground: (work: (signal: AbortSignal) => Promise<unknown>) => void;
};

/** Tries a call a few times. For what is good to have, and no loss when Telegram is away for longer. */
export async function callWithRetry<Result>(
  { sleep, random }: Pick<Bot, "sleep" | "random">,
  signal: AbortSignal,
  call: () => Promise<BotAnswer<Result>>,
): Promise<BotAnswer<Result>> {
  for (let tries = 0; ; tries++) {
    const answer = await call();
    const passing = answer.fault?.kind === "unreachable" || answer.fault?.kind === "busy";
    if (!passing || tries === 3 || signal.aborted) return answer;
    await sleep(answer.fault.afterMs ?? backoffMs(tries, random), signal);
  }
}

/**
 * A message as Telegram is given it. No preview of links: to make one Telegram's servers open them, and a model that was
 * talked into writing a user's words into an address would have sent them there.
 */
export function messageTo(address: string, text: string) {
  return { chat_id: Number(address), text, link_preview_options: { is_disabled: true } } as const;
}

/** Says something to a chat without a row anywhere: it is lost if Telegram is away. */
export function sendText(bot: Bot, address: string, text: string): void {
  bot.runInBackground(async (signal) => {
    const { fault } = await callWithRetry(bot, signal, () =>
      bot.ask((api) => api.sendMessage(messageTo(address, text))),
    );
    if (fault) bot.log("telegram-unsent", { reason: fault.reason });
  });
}
