import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEditor, type Editor } from "../../../src/channels/editor/editor.ts";
import { createScheduler } from "../../../src/channels/scheduled/scheduler.ts";
import { chatCommands } from "../../../src/cli/chat/commands.ts";
import { createTalk } from "../../../src/cli/chat/talk.ts";
import { converse } from "../../../src/cli/terminal/conversation.ts";
import { createScreen } from "../../../src/cli/terminal/screen.ts";
import { allRoutes, createApi } from "../../../src/server/app.ts";
import type { Line } from "../../agent/model.ts";
import { createTree } from "../../coder-tree.ts";
import { startHttpServer } from "../../mcp/http.ts";
import { listed } from "../../mcp/stage.ts";
import { askAt, asPage, handIn, own } from "../../server/chat/chat-stage.ts";
import type { Ask } from "../../server/served.ts";
import { privateMessage } from "../../telegram/fake.ts";
import { agent, newStage } from "../../telegram/stage.ts";

export type Person = "ann" | "bo" | "mia";
type Door = "page" | "telegram" | "terminal" | "editor";

/** A question as somebody was asked it, and what they said. */
export type Asked = {
  readonly day: string;
  readonly to: Person;
  readonly at: Door;
  readonly says: string;
  readonly answer: string;
};

const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

/** A coding agent that Bo has on his own machine. */
export const coder = "smith";

const chats: Readonly<Partial<Record<Person, number>>> = { ann: 7, bo: 8 };
const plain = (text: string) => text;
const paint = { red: plain, green: plain, yellow: plain, cyan: plain, dim: plain, bold: plain };

/**
 * A household with an assistant: the page for users, a bot, schedules, a calendar as an MCP server, and a coding agent in a
 * terminal and an editor. The model is scripted; whatever anybody is asked is kept.
 */
export async function newHousehold() {
  const folder = mkdtempSync(join(tmpdir(), "charter-household-"));
  const listing = join(folder, "tools.json");
  writeFileSync(listing, JSON.stringify([listed("events", "Lists what is planned."), listed("add", "Adds an event.")]));
  const calendar = await startHttpServer(listing, "json");
  const mcp = { calendar: { url: calendar.url, reads: ["events"] } };
  const stage = await newStage({ mcp, zone: "Europe/Berlin" });
  const { store, house: host, model, fake, clock } = stage;
  // From a Wednesday noon to the Monday after it.
  stage.skip(5 * 86_400);
  await store.agents.put({ name: agent, charter: "assistant", settings: { mcp: ["calendar"] } });
  await store.agents.add({ name: coder, charter: "coder", settings: { mcp: ["calendar"] } });
  const app = createApi({ host, operator: "olga", routes: allRoutes });
  const { secret } = await store.tokens.create({ name: "olga", kind: "operator" });
  const operator: Ask = (request, body) =>
    askAt({ app }, request.replace(" ", " /api"), { authorization: `Bearer ${secret}` }, body);
  await stage.bot().start();
  const scheduler = createScheduler({ host, clock, random: () => 1 });
  const tree = createTree();
  const workbench = tree.workbench();

  const asked: Asked[] = [];
  let day = 0;
  const note = (to: Person, at: Door, says: string, answer: string) =>
    asked.push({ day: days[day] as string, to, at, says, answer });

  const begun: { readonly by: Person; readonly from: number }[] = [];
  /** What the model says next, when this person does something. */
  const play = (by: Person, lines: readonly Line[]) => {
    begun.push({ by, from: model.requests.length });
    model.say(...lines);
  };
  /** The people in whose turns the model was told one of these words. */
  const toldTo = (...words: readonly string[]): Person[] => {
    const by = model.requests.flatMap((request, index) => {
      const text = JSON.stringify(request);
      const turn = begun.findLast(({ from }) => from <= index);
      return turn && words.some((word) => text.includes(word)) ? [turn.by] : [];
    });
    return [...new Set(by)];
  };

  /** From the operator's invitation to the page, as its two buttons do. */
  const invite = async (user: Person): Promise<Ask> => {
    const invited = await operator(`POST /agents/${agent}/invitations`, { people: [{ user }] });
    const code = new URL(invited.body.invitations[0].url).hash.slice(1);
    const accepted = await askAt({ app }, "POST /chat/invitation", own, { code, query: "" });
    const session = await handIn({ app }, accepted.body.url.split("#")[1]);
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    return asPage({ app }, { cookie, half: session.body.half });
  };
  const pages: Record<Person, Ask> = { ann: await invite("ann"), bo: await invite("bo"), mia: await invite("mia") };
  for (const [user, chat] of Object.entries(chats)) {
    fake.world.chats.set(chat, { blocked: false });
    const { body } = await pages[user as Person](`POST /agents/${agent}/links`, { channel: "telegram" });
    fake.says(chat, `/link ${body.code}`);
    await fake.until(() => fake.sentTo(chat).length === 1);
  }

  /** What a chat is told, as so many messages. */
  const heard = async (chat: number, act: () => void, count = 1) => {
    const before = fake.sentTo(chat).length;
    act();
    await fake.until(() => fake.sentTo(chat).length >= before + count);
    return fake.textsTo(chat).slice(before);
  };

  return {
    ...{ store, fake, asked, pages, operator, tree, toldTo },
    clock,
    nextDay: () => {
      day += 1;
      stage.skip(86_400);
    },
    /** Lets this person's schedules do what is due; gives what is told in their chat, where they have one. */
    due: async (user: "ann" | "mia", lines: readonly Line[]) => {
      play(user, lines);
      const chat = chats[user];
      if (chat !== undefined) return heard(chat, () => void scheduler.tick());
      await scheduler.tick();
      return [];
    },
    /** A message in Telegram; gives what comes back, in so many messages. */
    chat: (user: "ann" | "bo", message: string | object, lines: readonly Line[], count = 1) => {
      const chat = chats[user] as number;
      play(user, lines);
      return heard(
        chat,
        () => {
          if (typeof message === "string") fake.says(chat, message);
          else fake.happens({ message: privateMessage(chat, 1, message) });
        },
        count,
      );
    },
    /** Presses a button under the newest question in Telegram. */
    press: async (user: "ann" | "bo", button: "Approve" | "Reject", lines: readonly Line[], count: number) => {
      const chat = chats[user] as number;
      const question = fake.sentTo(chat).findLast(({ buttons }) => buttons.length > 0);
      note(user, "telegram", question?.text ?? "(nothing was asked)", button);
      play(user, lines);
      const toasts = fake.world.toasts.length;
      const told = await heard(chat, () => fake.presses(chat, button), count);
      await fake.until(() => fake.world.toasts.length > toasts && question?.buttons.length === 0);
      return told;
    },
    /** A message on the page for users, typed there. */
    write: async (user: Person, input: string, lines: readonly Line[], more: object = {}) => {
      play(user, lines);
      const { body } = await pages[user](`POST /agents/${agent}/turns`, { input, typed: input, ...more });
      return body;
    },
    /** Decides on the page about all that waits for somebody there. */
    decide: async (user: Person, how: "approve" | "reject") => {
      const { body } = await pages[user](`GET /approvals?agent=${agent}`);
      for (const { id, question } of body.calls) {
        note(user, "page", [question.sentence, ...question.details].join("\n"), how);
        await pages[user](`POST /approvals/${id}/${how}`, {});
      }
    },
    /** Somebody sits at a terminal and types these lines; their answers to what they are asked come one after the other. */
    sit: async (user: Person, said: readonly string[], answers: readonly string[], lines: readonly Line[]) => {
      play(user, lines);
      const talk = await createTalk(host, {
        ...{ agent: coder, user, channel: "terminal", sessionSettings: {}, attachments: {}, ask: "writes" },
        coding: { place: { workbench }, askForTrust: async () => [] },
      });
      let shown = "";
      const out = { isTTY: true, columns: 2000, rows: 24, write: (text: string) => (shown += text) };
      const screen = createScreen({ out, err: out, paint, opening: `${coder} › ` });
      const [typed, replies] = [[...said], [...answers]];
      const ask = async () => {
        const answer = replies.shift();
        const question = shown.slice(shown.lastIndexOf("? asked: ") + 9).trimEnd();
        note(user, "terminal", question, answer ?? "(nobody answered)");
        return answer;
      };
      const terminal = { next: async () => typed.shift(), onInterrupt: () => {}, close: () => {}, ask };
      await converse({
        ...{ lines: terminal, screen, commands: chatCommands(talk, screen) },
        runTurn: (input, watching) => talk.runTurn(input, watching, true),
      });
      return shown;
    },
    /** Somebody writes to the coding agent in their editor. */
    edit: async (user: Person, input: string, answers: readonly boolean[], lines: readonly Line[]) => {
      play(user, lines);
      const replies = [...answers];
      const editor: Editor = createEditor({
        ...{ host, agent: coder, user },
        setUp: async () => ({
          ...{ place: { workbench }, root: tree.cwd },
          ...{ settleTrust: async () => {}, faults: () => [], close: () => {} },
        }),
      });
      const client = {
        name: "test",
        update: async () => {},
        ask: async (_: string, { text }: { readonly text: string }) => {
          const answer = replies.shift();
          note(user, "editor", text, String(answer));
          return answer;
        },
      };
      const id = await editor.open(client, { cwd: tree.cwd });
      const end = await editor.prompt(id, input);
      await editor.close();
      return end;
    },
    close: async () => {
      await scheduler.stop(0);
      workbench.close();
      tree.remove();
      app.close();
      await stage.close();
      await calendar.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
