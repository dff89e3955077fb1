import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayRequest, type TurnOutcome } from "../../../src/agent/index.ts";
import { type Recorder, type Reply, startRecorder } from "../../delivery/recorder.ts";
import { complaint, type Said } from "../../delivery/speech.ts";
import { answerTo } from "../../delivery/whole-answer.ts";
import { type Loop, type LoopName, openLoop } from "./loops.ts";

/** What a provider says to one request. `out`: it is out. `stop`: whoever asked stops the turn. */
type Line = Said | "out" | "stop";

type StoryTurn = {
  readonly says: readonly Line[];
  /** What happens before it: a person approves what waits, or all is made anew from the file. */
  readonly before?: "approval" | "restart";
  /** Its process is killed while a tool runs. */
  readonly killed?: true;
};

const call = (id: string, name: string, input: object = { of: id }) => ({ id, name, input: JSON.stringify(input) });
const says = (text: string): Said => ({ thought: `Thought: ${text.slice(0, 30)}`, text: [text] });
const calls = (...made: readonly ReturnType<typeof call>[]): Said => ({
  thought: `Thought of ${made[0]?.id}.`,
  calls: made,
});
const long = (word: string) => `${word} `.repeat(200);

const turns: readonly StoryTurn[] = [
  { says: [says("Hello, reader.")] },
  {
    says: [
      calls(call("c1", "find_book"), call("c2", "find_book")),
      calls(call("c3", "find_book")),
      says("All three are there."),
    ],
  },
  {
    says: [
      calls(
        call("c4", "modify_system_prompt", { section: "goals", operation: "append", content: "- Be brief." }),
      ),
      says("I am brief from now on."),
    ],
  },
  { says: [says("Yes.")] },
  { says: [calls(call("c5", "read_page")), calls(call("c6", "pay")), says("It waits for a person.")] },
  { before: "approval", says: [says("It is paid.")] },
  { says: ["out", says("The provider was busy, and is there again.")] },
  { says: [says(long("first"))] },
  { says: ["stop"] },
  { says: [calls(call("c7", "find_book")), says(long("second"))] },
  { says: [says(long("third"))] },
  { says: ["out", calls(call("never", "find_book")), says("The reader paid for one book."), says(long("fourth"))] },
  { says: [says(long("fifth"))] },
  { before: "restart", says: [calls(call("c8", "find_book")), says("It is there after the restart.")] },
  { killed: true, says: [calls(call("c9", "find_book")), calls(call("c10", "copy_all"))] },
  { says: [says("I do not know whether all was copied.")] },
  { says: [calls(call("c11", "find_book")), "out", "out", calls(call("c12", "find_book")), says("Another answers.")] },
  { says: [calls(call("c13", "find_book"), call("c14", "find_book")), says("Both are there.")] },
  { before: "restart", says: ["out", says("Still the other.")] },
  { says: [says("Goodbye.")] },
];

/** A request on the wire, by the turn it was sent in; what was said to it. */
export type StoryRequest = { readonly turn: number; readonly path: string; readonly body: string; readonly said: Line };

export type StoryResult = {
  readonly requests: readonly StoryRequest[];
  readonly outcomes: readonly (TurnOutcome | "killed")[];
  /** The calls that ran, in order. */
  readonly ran: readonly string[];
  /** Every request on record, sent once more. */
  readonly replayed: readonly string[];
};

const program = new URL("./loops.ts", import.meta.url).pathname;

/** Twenty turns of one session, by one loop: what was sent, what came of it, and what is made again from the record. */
export async function tellStory(name: LoopName): Promise<StoryResult> {
  const folder = mkdtempSync(join(tmpdir(), "charter-loops-"));
  const server = await startServer();
  const effects = join(folder, "effects");
  const placeAt = (turn: number) => ({
    ...{ database: join(folder, "charter.db"), server: server.url, effects },
    time: new Date(Date.UTC(2026, 1, 18, 9) + turn * 90_000).toISOString(),
  });
  let loop: Loop | undefined;
  try {
    const outcomes: (TurnOutcome | "killed")[] = [];
    for (const [index, { before, killed, says: lines }] of turns.entries()) {
      const asked = { id: `turn-${index + 1}`, input: `Question ${index + 1}: what now?`, user: "eva" };
      const stop = new AbortController();
      server.open(index + 1, lines, stop);
      if (before === "restart" || killed) {
        await loop?.store.close();
        loop = undefined;
      }
      if (killed) {
        outcomes.push(await killedTurn([name, JSON.stringify(placeAt(index)), JSON.stringify(asked)]));
        continue;
      }
      loop ??= await openLoop(name, placeAt(index));
      if (before === "approval") {
        const [held] = await loop.store.calls.list({ agent: "ada", status: "waiting" });
        await loop.store.calls.approve(held?.id as string, "operator");
      }
      const t0=performance.now();
      outcomes.push(await loop.runTurn(asked, stop.signal));
      console.log(index+1, Math.round(performance.now()-t0));
    }
    const requests = [...server.requests];
    for (const turn of turns.keys()) await sendAgain(loop as Loop, `turn-${turn + 1}`);
    return {
      requests,
      outcomes,
      ran: readFileSync(effects, "utf8").trim().split("\n"),
      replayed: server.requests.slice(requests.length).map(({ body }) => body),
    };
  } finally {
    await loop?.store.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function sendAgain({ store, ask }: Loop, turn: string): Promise<void> {
  for (const { step } of await store.steps.of(turn, "everything")) {
    const { request, step: kept } = await replayRequest(store, turn, step);
    await ask(request, kept.receipt.receiver as string);
  }
}

/** A process that is killed when its tool runs. */
function killedTurn(given: readonly string[]): Promise<"killed"> {
  const child = fork(program, given, { execArgv: ["--conditions=charter-source"] });
  child.on("message", () => child.kill("SIGKILL"));
  return new Promise((died, failed) => {
    child.on("error", failed);
    child.on("exit", (code, signal) =>
      signal === "SIGKILL" ? died("killed") : failed(new Error(`It ended with ${code}.`)),
    );
  });
}

/** Both providers: what they say in a turn is said in order. When the story is told, they say anything. */
async function startServer(): Promise<Pick<Recorder, "url" | "close"> & { requests: StoryRequest[]; open: Open }> {
  const requests: StoryRequest[] = [];
  let now: { turn: number; lines: Line[]; stop?: AbortController } = { turn: 0, lines: [] };
  const recorder = await startRecorder({
    answer: (request): Reply => {
      const said = now.lines.shift() ?? says("Once more.");
      requests.push({ turn: now.turn, path: request.path, body: request.body, said });
      const kind = request.path.endsWith("/messages") ? "anthropic" : "openai";
      if (said === "out") return { status: 529, body: complaint(kind, "Overloaded.") };
      if (said !== "stop") return answerTo(request, said);
      now.stop?.abort();
      return { ends: "open" };
    },
  });
  const open: Open = (turn, lines, stop) => {
    if (now.lines.length > 0) throw new Error(`Turn ${now.turn} did not hear all that was to be said.`);
    now = { turn, lines: [...lines], stop };
  };
  return { url: recorder.url, close: recorder.close, requests, open };
}

type Open = (turn: number, lines: readonly Line[], stop: AbortController) => void;
