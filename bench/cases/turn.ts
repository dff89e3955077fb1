import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assemble } from "../../charter/src/prompt/assemble.ts";
import { gather } from "../../charter/src/prompt/gather.ts";
import type { Standing } from "../../charter/src/prompt/source.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../charter/src/store/store.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, flat, inRounds, ratioOf, timeOf } from "../rounds.ts";
import { bareCommits, type Commit, countingHome } from "../workloads/commits.ts";
import { amendLayers, createSovereignAgent, exchangeOf, sourced } from "../workloads/sovereign-agent.ts";
import { type Inputs, sovereignTurns } from "../workloads/sovereign-turns.ts";

/** So many turns of a session are on the clock in a round. */
const each = 10;
const long = 500;
const now = "2026-02-20T10:00:00.000Z";

/**
 * The commits that the floor makes of each turn: what one had on 2026-11-18, in the bytes it was given and in those it
 * logged. They are fixed: a turn that writes less is nearer to the floor, not beside a lower one.
 */
const fixed: readonly Commit[] = [
  { given: 292, logged: 70_040 },
  { given: 1224, logged: 37_080 },
  { given: 923, logged: 82_400 },
];

/** What the runtime adds to a turn of sovereign-turns: beside assembling its prompt and bare commits, and beside a loop by hand. */
export async function turn(rounds: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-turn-"));
  const turns = sovereignTurns(each);
  const { layers } = turns[0] as Inputs;
  try {
    const { commits, standing, wrong } = await commitsOf(join(folder, "counted.db"), turns);
    const bare = bareCommits(join(folder, "bare.db"));
    const { agent, close } = await agentOn(join(folder, "charter.db"), turns);
    const sessions = await agent.warmedUp(rounds + 2);
    const hand = loopByHand(join(folder, "hand.db"));
    const sections = sourced(layers);
    const assembling = async (index: number) => {
      sections.read(turns[index] as Inputs);
      const readings = await gather(sections.charter, { now, tools: [], standing });
      return flat(assemble(sections.charter, readings).text);
    };
    const committing = (what: keyof Commit) => {
      for (const commit of fixed) bare.commit(commit[what]);
    };
    const both = (what: keyof Commit) => async (index: number) => {
      await assembling(index);
      committing(what);
    };
    const byHand = (session: string, keepsPrompt: boolean) => async (index: number) => {
      const { body, reply } = exchangeOf(turns[index] as Inputs, index);
      hand.turn(session, { prompt: await assembling(index), input: body, reply }, keepsPrompt);
    };
    const steps = (work: (index: number) => unknown) => turns.map((_, index) => () => work(index));
    let [short, longer, talks] = [0, 0, 0];
    const contenders: Contender[] = [
      { name: "assemble", units: each, prepare: () => steps(assembling) },
      { name: "commits", units: each, prepare: () => steps(() => committing("given")) },
      { name: "floor", units: each, prepare: () => steps(both("given")) },
      { name: "pages", units: each, prepare: () => steps(both("logged")) },
      { name: "by hand", units: each, prepare: () => steps(byHand(`talk ${talks++}`, false)) },
      { name: "by hand, prompt kept", units: each, prepare: () => steps(byHand(`talk ${talks++}`, true)) },
      {
        name: "turn",
        units: each,
        prepare: () => {
          const user = sessions.short[short++] as string;
          return steps((index) => agent.run(user, index));
        },
      },
      {
        name: "later turn",
        units: each,
        prepare: () => {
          const user = sessions.long[longer++ % sessions.long.length] as string;
          return steps((index) => agent.run(user, index));
        },
      },
    ];
    const times = await inRounds(contenders, rounds);
    bare.close();
    hand.close();
    await close();
    const sum = (all: readonly Commit[], what: keyof Commit) =>
      all.reduce((bytes, commit) => bytes + commit[what], 0).toLocaleString("en");
    const row = (what: string, name: string, more: Partial<Row> = {}): Row => ({
      case: "turn",
      what,
      time: timeOf(times, name),
      ...more,
    });
    const turnBy = (of: string, target: number) =>
      row(`a turn, × ${of}`, "turn", { ratio: { ...ratioOf(times, "turn", of), of }, target });
    const rows: Row[] = [
      row("assembling the prompt", "assemble"),
      row(`${fixed.length} bare commits`, "commits", { note: `${sum(fixed, "given")} bytes in all` }),
      row("floor: both", "floor"),
      row("pages: the same, as large as what a turn logged", "pages", { note: `${sum(fixed, "logged")} bytes` }),
      row("by hand: the prompt, the last 20 messages read, two messages kept in one commit", "by hand"),
      row("by hand, prompt kept: the same, and the prompt in a commit before", "by hand, prompt kept"),
      { ...turnBy("floor", 4.5), note: `${commits.length} commits, ${sum(commits, "logged")} bytes logged` },
      turnBy("pages", 3),
      turnBy("by hand", 3),
      turnBy("by hand, prompt kept", 2.5),
      row(`a turn after ${long} in its session, × one of the first ten`, "later turn", {
        ratio: { ...ratioOf(times, "later turn", "turn"), of: "turn" },
        target: 1.15,
      }),
    ];
    return {
      title: "Turn  sovereign-turns through runTurn, with a model that answers at once, on SQLite",
      about: "the floor gathers and assembles the same prompt and makes three bare commits, which are fixed",
      rows,
      wrong: [...wrong, ...agent.wrong],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A turn as many programs have it: a table of messages, and one of prompts. Nothing is checked, leased or billed. */
function loopByHand(path: string) {
  const handle = new DatabaseSync(path);
  handle.exec("pragma journal_mode = wal; pragma synchronous = full");
  handle.exec("create table message (id integer primary key, session text, role text, text text)");
  handle.exec("create index message_session on message (session, id)");
  handle.exec("create table prompt (id integer primary key, session text, text text)");
  const past = handle.prepare("select role, text from message where session = ? order by id desc limit 20");
  const say = handle.prepare("insert into message (session, role, text) values (?, ?, ?)");
  const keep = handle.prepare("insert into prompt (session, text) values (?, ?)");
  return {
    turn: (
      session: string,
      { prompt, input, reply }: { readonly prompt: string; readonly input: string; readonly reply: string },
      keepsPrompt: boolean,
    ) => {
      const messages = past.all(session).reverse();
      const request = { system: prompt, messages: [...messages, { role: "user", text: input }] };
      if (keepsPrompt) keep.run(session, request.system);
      handle.exec("begin immediate");
      say.run(session, "user", input);
      say.run(session, "assistant", reply);
      handle.exec("commit");
    },
    close: () => handle.close(),
  };
}

async function agentOn(path: string, turns: readonly Inputs[], home = sqlite(path)) {
  const { layers } = turns[0] as Inputs;
  const store = await createStore(home);
  const sections = sourced(layers);
  const standing = await amendLayers(store, sections.charter);
  let reply = "";
  const wrong: string[] = [];
  const agent = createSovereignAgent(store, sections, () => reply);
  const run = async (user: string, index: number) => {
    const inputs = turns[index % turns.length] as Inputs;
    const exchange = exchangeOf(inputs, index);
    sections.read(inputs);
    reply = exchange.reply;
    const outcome = await agent.runTurn({ input: exchange.body, user });
    if (outcome.reply !== reply) wrong.push(`A turn of ${user} came to ${JSON.stringify(outcome)}.`);
  };
  const inTurn = async (user: string, count: number) => {
    for (let index = 0; index < count; index++) await run(user, index);
    return user;
  };
  /** Users whose session is open, and three whose session is long. */
  const warmedUp = async (count: number) => {
    const [short, longer]: [string[], string[]] = [[], []];
    for (let index = 0; index < count; index++) short.push(await inTurn(`short-${index}`, 1));
    for (let index = 0; index < 3; index++) longer.push(await inTurn(`long-${index}`, long));
    return { short, long: longer };
  };
  return { agent: { run, warmedUp, wrong }, standing, close: store.close };
}

type Counted = {
  readonly commits: readonly Commit[];
  readonly standing: Readonly<Record<string, Standing>>;
  readonly wrong: readonly string[];
};

/** What a turn commits, in bytes, in a session that is open. */
async function commitsOf(path: string, turns: readonly Inputs[]): Promise<Counted> {
  const { home, commits } = countingHome(sqlite(path), path);
  const { agent, standing, close } = await agentOn(path, turns, home);
  await agent.run("bo", 0);
  commits.length = 0;
  await agent.run("bo", 1);
  await close();
  return { commits, standing, wrong: agent.wrong };
}
