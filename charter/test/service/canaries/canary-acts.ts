import { type FakeTelegram, privateMessage } from "../../telegram/fake.ts";
import type { MovedClock } from "../clock.ts";
import type { Answer, Ask } from "../opened.ts";
import { canary, type Watch } from "./canary.ts";
import type { Person } from "./canary-people.ts";

/** What an act is given: someone, the agent they are with, and what has been seen of everyone's by now. */
export type Acting = {
  readonly person: Person;
  readonly agent: string;
  readonly word: (what: string) => string;
  readonly roll: (sides: number) => number;
  readonly watch: Watch;
  readonly telegram: FakeTelegram;
  readonly clock: MovedClock;
  readonly ids: Ids;
  readonly count: (answer: Answer) => void;
};

/** Ids of anyone's: of turns, of sessions, of what is held, and of notes and schedules. */
export type Ids = Readonly<Record<"turn" | "session" | "held" | "id", string[]>>;

export type Act = (acting: Acting) => Promise<unknown>;

/** Asks, and looks at all of what comes back: it may hold the words of whoever asks, and of nobody else. */
export function asking({ person, watch, count, ids }: Acting, ask: Ask): Ask {
  return async (request, body, headers) => {
    const answer = await ask(request, body, headers);
    count(answer);
    for (const [what, text] of [
      ["words", answer.text],
      ["headers", answer.headers],
    ] as const)
      watch.look(`the ${what} of the ${answer.status} to ${request.split("/")[0]}`, text, { person: person.key });
    if (answer.body?.error?.code === "internal") watch.fault(`${request} was answered with ${answer.text}`);
    for (const [name, known] of Object.entries(ids)) {
      const id = answer.body?.[name] ?? answer.body?.error?.[name];
      if (typeof id === "string" && known.length < 500) known.push(id);
    }
    return answer;
  };
}

const failedTurn = /^(?:model-|turn-|refused$)/;

/** The answer has to be for whoever asked: it says their own word, or that there is none. */
function checkReply({ watch, person, agent }: Acting, what: string, { status, text, body }: Answer): void {
  const own = text.includes(canary(person.key, agent, "")) || text.includes('data: {"type":"error"');
  if (status === 200 && !own)
    watch.fault(`${what} was answered without a word of whoever asked: ${text.slice(0, 300)}`);
  if (status !== 200 && !failedTurn.test(body?.error?.code ?? "")) watch.fault(`${what} was answered with ${text}`);
}

const signedOrNot = (acting: Acting) =>
  asking(acting, acting.roll(3) === 0 ? acting.person.askSigned : acting.person.ask);

async function answered(telegram: FakeTelegram, { chat }: Person, act: () => unknown): Promise<void> {
  const sent = () => telegram.world.sent.findLast((one) => one.chat === chat)?.id;
  const before = sent();
  act();
  await telegram.until(() => sent() !== before);
}

/** Each takes a turn, one way or another. */
export const turns: Readonly<Record<string, Act>> = {
  json: async (acting) => {
    const { agent, word, roll } = acting;
    const session = ([{}, {}, { session: "new" }, { session: "none" }] as const)[roll(4)];
    const answer = await signedOrNot(acting)(`POST /api/agents/${agent}/turns`, { input: word("input"), ...session });
    checkReply(acting, "a turn", answer);
  },
  stream: async (acting) => {
    const { agent, word, roll } = acting;
    const request = `POST /api/agents/${agent}/turns${roll(2) === 0 ? "?drafts=hold" : ""}`;
    const answer = await signedOrNot(acting)(request, { input: word("input") }, { accept: "text/event-stream" });
    checkReply(acting, "a stream", answer);
  },
  chat: async (acting) => {
    const { agent, word, roll, ids } = acting;
    const before = { role: "assistant", parts: [], metadata: { session: ids.session[roll(ids.session.length)] } };
    const last = { id: "m", role: "user", parts: [{ type: "text", text: word("input") }] };
    const messages = roll(8) === 0 ? [before, last] : [last];
    const ask = asking(acting, acting.person.ask);
    const answer = await ask(`POST /api/agents/${agent}/turns`, { id: "chat", messages, trigger: "submit-message" });
    // A session of someone else's is not there.
    if (answer.status !== 404) checkReply(acting, "a chat", answer);
  },
  attached: async (acting) => {
    const { agent, word, person } = acting;
    const file = Buffer.from(word("contents")).toString("base64");
    const attachment = { file, mediaType: `text/${word("kind")}`, name: word("file") };
    const input = [{ text: word("input") }, attachment];
    checkReply(acting, "a file", await asking(acting, person.ask)(`POST /api/agents/${agent}/turns`, { input }));
  },
  telegram: async ({ person, telegram }) => {
    await answered(telegram, person, () => telegram.says(person.chat, canary(person.key, "ada", "written")));
  },
  forwarded: async ({ person, telegram, roll }) => {
    const word = (what: string) => canary(person.key, "ada", what);
    const id = `file-${roll(1e9)}`;
    telegram.keeps(id, Buffer.from(word("contents")));
    const document = { file_id: id, file_name: word("file"), mime_type: `text/${word("kind")}` };
    const origin = { type: "hidden_user", date: 1_771_416_000, sender_user_name: word("author") };
    const message = privateMessage(person.chat, roll(1e9), {
      ...{ document, caption: word("caption"), forward_origin: origin },
    });
    await answered(telegram, person, () => telegram.happens({ message }));
  },
  scheduled: async (acting) => {
    const { agent, word, clock, watch, person } = acting;
    const at = new Date(clock().getTime() + 5000).toISOString();
    const body = { title: word("title"), input: word("due"), at, maxTries: 1 };
    const { status, text } = await asking(acting, person.ask)(`POST /api/agents/${agent}/schedules`, body);
    // Others move the clock as well, and a machine may be slow: then the time has come before it was asked for.
    if (status === 400 && text.includes("which is past")) return turns.scheduled?.(acting);
    if (status !== 201) watch.fault(`a schedule was answered with ${text}`);
    return clock.reach(at);
  },
  tool: async (acting) => {
    const { agent, word, roll, person } = acting;
    const session = { session: word("session"), anew: true };
    const [tool, input] = (
      [
        ["save_memory", { content: word("told"), key: word("key") }],
        ["read_memory", { query: word("query") }],
        ["update_instructions", { instructions: word("rule") }],
        ["note", { word: word("argument") }],
        ["stumble", { word: word("argument") }],
        ["save_memory", { wrong: word("argument") }],
        [word("tool"), {}],
      ] as const
    )[roll(7)] as [string, object];
    await asking(acting, person.program(agent))(`POST /api/agents/${agent}/tools/${tool}`, {
      input,
      ...(roll(2) === 0 ? session : {}),
    });
  },
};
