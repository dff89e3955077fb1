import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayRequest } from "../../../src/agent/index.ts";
import type { Turn } from "../../../src/store/index.ts";
import { type Reply, startRecorder } from "../../../src/testing/strict/recorder.ts";
import { complaint, type Speech } from "../../../src/testing/strict/speech.ts";
import { answerTo } from "../../../src/testing/strict/whole-answer.ts";
import { type Loop, type LoopName, openLoop } from "./loops.ts";

/** What a provider says to one request. "out": that it is overloaded. "stop": nothing, and the turn is stopped meanwhile. */
type Line = Speech | "out" | "stop";

type StoryTurn = {
  readonly says: readonly Line[];
  /** What happens before it: a person approves what waits, or everything is made anew from the file. */
  readonly before?: "approval" | "restart";
  /** Another process takes it, and is killed while a tool runs. */
  readonly killed?: true;
};

const says = (text: string): Speech => ({ thought: `Thought: ${text.slice(0, 30)}`, text: [text] });
const calls = (made: Readonly<Record<string, string>>, given?: object): Speech => ({
  thought: `Thought of ${Object.keys(made)}.`,
  calls: Object.entries(made).map(([id, name]) => ({ id, name, input: JSON.stringify(given ?? { of: id }) })),
});
const long = (word: string) => `${word} `.repeat(200);
const brief = { section: "goals", operation: "append", content: "- Be brief." };

const turns: readonly StoryTurn[] = [
  { says: [says("Hello, reader.")] },
  { says: [calls({ c01: "find_book", c02: "find_book" }), calls({ c03: "find_book" }), says("All are there.")] },
  { says: [calls({ c04: "modify_system_prompt" }, brief), says("I am brief from now on.")] },
  { says: [says("Yes.")] },
  { says: [calls({ c05: "read_page" }), calls({ c06: "pay" }), says("It waits for a person.")] },
  { before: "approval", says: [says("It is paid.")] },
  { says: ["out", says("The provider was busy, and is there again.")] },
  { says: [says(long("first"))] },
  { says: ["stop"] },
  // While the second of them runs, the turn is stopped.
  { says: [calls({ c07: "find_book", c08: "copy_all" })] },
  { says: [says(long("second"))] },
  { says: [says(long("third"))] },
  // Here the history is summed up: by a model that is out at first, and then calls a tool instead.
  { says: ["out", calls({ never: "find_book" }), says("The reader paid for a book."), says(long("fourth"))] },
  { before: "restart", says: [calls({ c09: "find_book" }), says("It is there after the restart.")] },
  { killed: true, says: [calls({ c10: "find_book" }), calls({ c11: "find_book", c12: "copy_all" })] },
  { says: [says("I do not know whether all was copied.")] },
  { says: [calls({ c13: "find_book" }), "out", "out", calls({ c14: "find_book" }), says("Another one answers.")] },
  { says: [calls({ c15: "find_book", c16: "find_book" }), says("Both are there.")] },
  { before: "restart", says: ["out", says("Still the other.")] },
  { says: [says("Goodbye.")] },
];

/** A request on the wire, the number of the turn it was sent in, and what was said to it. */
export type StoryRequest = { readonly turn: number; readonly path: string; readonly body: string; readonly said: Line };

export type StoryResult = {
  readonly requests: readonly StoryRequest[];
  readonly turns: readonly Turn[];
  /** The tools that ran, in order. */
  readonly ran: readonly string[];
  /** Every request on record, sent once more. */
  readonly replayed: readonly string[];
};

/** Twenty turns of one session, by one loop: what was sent, what is on record, and what is made again from that. */
export async function tellStory(name: LoopName): Promise<StoryResult> {
  const folder = mkdtempSync(join(tmpdir(), "charter-loops-"));
  const server = await startProviders();
  const effects = join(folder, "effects");
  let loop: Loop | undefined;
  try {
    for (const [index, { before, killed, says: lines }] of turns.entries()) {
      const about = { database: join(folder, "charter.db"), server: server.url, turn: index + 1 };
      const place = { ...about, effects, copying: server.stop };
      const asked = { id: turnId(index), input: `Question ${index + 1}: what now?`, user: "eva" };
      const stop = server.open(index + 1, lines);
      if (before === "restart" || killed) {
        await loop?.store.close();
        loop = undefined;
      }
      if (killed) {
        await takeKilled([name, JSON.stringify(place), JSON.stringify(asked)]);
        continue;
      }
      loop ??= await openLoop(name, place);
      if (before === "approval") {
        const [held] = await loop.store.calls.list({ agent: "ada", status: "waiting" });
        await loop.store.calls.approve(held?.id as string, "operator");
      }
      await loop.runTurn(asked, stop);
    }
    const { store } = loop as Loop;
    const requests = [...server.requests];
    server.open(0, []);
    for (const index of turns.keys()) await sendAgain(loop as Loop, turnId(index));
    return {
      requests,
      turns: await Promise.all(turns.map((_, index) => store.turns.get(turnId(index)))),
      ran: readFileSync(effects, "utf8").trim().split("\n"),
      replayed: server.requests.slice(requests.length).map(({ body }) => body),
    };
  } finally {
    await loop?.store.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function turnId(index: number): string {
  return `turn-${index + 1}`;
}

async function sendAgain({ store, ask }: Loop, turn: string): Promise<void> {
  for (const { step } of await store.steps.of(turn)) {
    const { request, step: kept } = await replayRequest(store, turn, step);
    await ask(request, kept.receipt.receiver as string);
  }
}

/** A process that is killed when it says that its tool runs. */
function takeKilled(given: readonly string[]): Promise<void> {
  const child = fork(new URL("./loops.ts", import.meta.url), given, { execArgv: ["--conditions=charter-source"] });
  child.on("message", () => child.kill("SIGKILL"));
  return new Promise((died, failed) => {
    child.on("error", failed);
    child.on("exit", (code, signal) =>
      signal === "SIGKILL" ? died() : failed(new Error(`It was to be killed, and ended with ${code}.`)),
    );
  });
}

/** Anthropic and OpenAI: what they are to say in a turn is said in order, and nothing else may be asked. */
async function startProviders() {
  const requests: StoryRequest[] = [];
  let now = { turn: 0, lines: [] as readonly Line[], asked: 0, stop: new AbortController() };
  const { url, close } = await startRecorder({
    answer: (request): Reply => {
      const said = now.lines[now.asked++] ?? {};
      requests.push({ turn: now.turn, path: request.path, body: request.body, said });
      if (said === "out") return { status: 529, body: complaint("anthropic", "Overloaded.") };
      if (said !== "stop") return answerTo(request, said);
      stop();
      return { ends: "open" };
    },
  });
  const stop = () => now.stop.abort();
  const open = (turn: number, lines: readonly Line[]): AbortSignal => {
    const { asked, lines: before } = now;
    if (asked !== before.length) throw new Error(`Turn ${now.turn} asked ${asked} times, not ${before.length}.`);
    now = { turn, lines, asked: 0, stop: new AbortController() };
    return now.stop.signal;
  };
  return { url, close, requests, open, stop };
}
