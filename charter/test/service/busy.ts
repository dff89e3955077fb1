import type { Model, ModelRequest } from "../../src/delivery/model.ts";
import type { Store } from "../../src/store/index.ts";
import { receiver, usage } from "../agent/model.ts";
import type { FakeTelegram } from "../telegram/fake.ts";
import type { Ask } from "./opened.ts";

/** What was said last by the one it is all about. */
export function saidIn({ messages }: ModelRequest): string {
  const last = messages.findLast(({ role }) => role === "user");
  return last && "text" in last ? last.text : "";
}

/** Answers in a moment, with what was said. */
export const answering: Model = {
  receiver,
  ask: async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { answer: { text: `Re: ${saidIn(request)}`, calls: [], finish: "stop", usage } };
  },
};

/** A chat that is a user's. */
export async function linkChat(
  { links }: Store,
  { world }: FakeTelegram,
  { user, chat }: { readonly user: string; readonly chat: number },
): Promise<void> {
  world.chats.set(chat, { blocked: false });
  const { code } = await links.createCode({ agent: "ada", user }, "telegram");
  await links.redeem("ada", "telegram", code, String(chat));
}

export type Busy = {
  /** What was said in each chat. */
  readonly said: ReadonlyMap<number, readonly string[]>;
  /** Schedules that were acknowledged. */
  readonly scheduled: readonly string[];
  readonly stop: () => Promise<void>;
};

/** Messages on Telegram, and schedules that are due in a moment, all the while. */
export function startBusy(about: {
  readonly telegram: FakeTelegram;
  readonly chats: readonly number[];
  readonly clock: () => Date;
  readonly ask: Ask;
}): Busy {
  const { telegram, chats, clock, ask } = about;
  const said = new Map<number, string[]>(chats.map((chat) => [chat, []]));
  const scheduled: string[] = [];
  let over = false;
  const run = async () => {
    for (let number = 1; !over; number++) {
      const chat = chats[number % chats.length] as number;
      const text = `message ${chat}-${number}`;
      telegram.says(chat, text);
      said.get(chat)?.push(text);
      const at = new Date(clock().getTime() + 5000).toISOString();
      const schedule = { title: `due ${number}`, input: `due ${number}`, at };
      const { status, body } = await ask("POST /api/agents/ada/schedules", schedule);
      if (status === 201) scheduled.push(body.id);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const running = run();
  return {
    said,
    scheduled,
    stop: async () => {
      over = true;
      await running;
    },
  };
}
