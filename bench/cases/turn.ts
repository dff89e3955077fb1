import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemble } from "../../charter/src/prompt/assemble.ts";
import { gather } from "../../charter/src/prompt/gather.ts";
import type { Standing } from "../../charter/src/prompt/reading.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../charter/src/store/store.ts";
import type { Peers } from "../peers.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, flat, inRounds, ratioOf, timeOf } from "../rounds.ts";
import { byHandOnSqlite, type Said } from "../workloads/by-hand.ts";
import { bareCommits, type Commit, countingHome, loggedBy } from "../workloads/commits.ts";
import { type Framework, langGraphTurns, mastraTurns } from "../workloads/frameworks.ts";
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

/** What the runtime adds to a turn of sovereign-turns: beside its prompt and bare commits, a loop by hand, and other frameworks. */
export async function turn(peers: Peers, rounds: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-turn-"));
  const turns = sovereignTurns(each);
  const { layers } = turns[0] as Inputs;
  try {
    const { commits, standing, wrong } = await commitsOf(join(folder, "counted.db"), turns);
    const bare = bareCommits(join(folder, "bare.db"));
    const { agent, close } = await agentOn(join(folder, "charter.db"), turns);
    const sessions = await agent.warmedUp(2 * (rounds + 2));
    const hand = byHandOnSqlite(join(folder, "hand.db"));
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
    const sayAt = async (index: number): Promise<Said> => {
      const { body, reply } = exchangeOf(turns[index] as Inputs, index);
      return { prompt: await assembling(index), input: body, reply };
    };
    const byHand = (session: string, keepsPrompt: boolean) => async (index: number) =>
      hand.turn(session, await sayAt(index), keepsPrompt);
    const steps = (work: (index: number) => unknown) => turns.map((_, index) => () => work(index));
    let [short, longer, talks] = [0, 0, 0];
    const own: Contender = {
      name: "turn",
      units: each,
      prepare: () => {
        const user = sessions.short[short++] as string;
        return steps((index) => agent.run(user, index));
      },
    };
    const contenders: Contender[] = [
      { name: "assemble", units: each, prepare: () => steps(assembling) },
      { name: "commits", units: each, prepare: () => steps(() => committing("given")) },
      { name: "floor", units: each, prepare: () => steps(both("given")) },
      { name: "pages", units: each, prepare: () => steps(both("logged")) },
      { name: "by hand", units: each, prepare: () => steps(byHand(`talk ${talks++}`, false)) },
      { name: "by hand, prompt kept", units: each, prepare: () => steps(byHand(`talk ${talks++}`, true)) },
      own,
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
    const beside = await besidePeers(peers, { folder, rounds, sayAt, own });
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
      ...beside.rows,
    ];
    return {
      title: "Turn  sovereign-turns through runTurn, with a model that answers at once, on SQLite",
      about: "the floor gathers and assembles the same prompt and makes three bare commits, which are fixed",
      rows,
      wrong: [...wrong, ...agent.wrong, ...beside.wrong],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type PeerOptions = {
  readonly folder: string;
  readonly rounds: number;
  readonly sayAt: (index: number) => Promise<Said>;
  /** A turn of Charter's in each round, which the others are compared with. */
  readonly own: Contender;
};

/**
 * The same turns by other frameworks, each told to wait for the disk. They come after everything else, so that neither
 * their garbage nor what they hook into is on the clock of the other figures.
 */
async function besidePeers(
  peers: Peers,
  { folder, rounds, sayAt, own }: PeerOptions,
): Promise<Omit<Report, "title" | "about">> {
  const { langGraph, mastra } = peers;
  if (!langGraph || !mastra)
    return { rows: [{ case: "turn", what: "LangGraph, Mastra", note: `absent: ${peers.absent}` }], wrong: [] };
  const at = (name: string) => join(folder, `${name}.db`);
  const frameworks: readonly (readonly [name: string, path: string, Framework])[] = [
    ["LangGraph", at("langgraph"), langGraphTurns(await langGraph(), at("langgraph"))],
    ["Mastra", at("mastra"), await mastraTurns(await mastra(), at("mastra"), false)],
    ["Mastra, durable", at("durable"), await mastraTurns(await mastra(), at("durable"), true)],
  ];
  const wrong: string[] = [];
  let talks = 0;
  const contenders = frameworks.map(
    ([name, , { turn, settle }]): Contender => ({
      name,
      units: each,
      prepare: () => {
        const session = `talk ${talks++}`;
        return Array.from({ length: each }, (_, index) => async () => {
          const said = await sayAt(index);
          const reply = await turn(session, said);
          if (reply !== said.reply) wrong.push(`${name} answered ${JSON.stringify(reply)}.`);
        });
      },
      settle,
    }),
  );
  const times = await inRounds([own, ...contenders], rounds);
  const rows: Row[] = [];
  for (const [name, path, { turn, settle, execute, close }] of frameworks) {
    const { commits, logged } = await loggedBy(path, execute, async () => {
      await turn("talk 0", await sayAt(0));
      await settle();
    });
    await close();
    rows.push({
      case: "turn",
      what: `${name}, × a turn`,
      time: timeOf(times, name),
      ratio: { ...ratioOf(times, name, own.name), of: own.name },
      note: `${commits} commits, ${logged.toLocaleString("en")} bytes logged`,
    });
  }
  return { rows, wrong };
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
