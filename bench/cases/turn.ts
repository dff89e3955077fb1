import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
const long = 100;
const now = "2026-02-20T10:00:00.000Z";

/** What the runtime adds to a turn of sovereign-turns: beside assembling its prompt and as many bare commits as it makes. */
export async function turn(rounds: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-turn-"));
  const turns = sovereignTurns(each);
  const { layers } = turns[0] as Inputs;
  try {
    const { sizes, standing, wrong } = await commitsOf(join(folder, "counted.db"), turns);
    const bare = bareCommits(join(folder, "bare.db"));
    const { agent, close } = await agentOn(join(folder, "charter.db"), turns);
    const sessions = await agent.warmedUp(rounds + 2);
    const sections = sourced(layers);
    const assembling = async (index: number) => {
      sections.read(turns[index] as Inputs);
      const readings = await gather(sections.charter, { now, tools: [], standing });
      flat(assemble(sections.charter, readings).text);
    };
    const committing = (what: keyof Commit) => (index: number) => {
      for (const commit of sizes[index] as Commit[]) bare.commit(commit[what]);
    };
    const both = (what: keyof Commit) => async (index: number) => {
      await assembling(index);
      committing(what)(index);
    };
    const steps = (work: (index: number) => unknown) => turns.map((_, index) => () => work(index));
    let [short, longer] = [0, 0];
    const contenders: Contender[] = [
      { name: "assemble", units: each, prepare: () => steps(assembling) },
      { name: "commits", units: each, prepare: () => steps(committing("given")) },
      { name: "floor", units: each, prepare: () => steps(both("given")) },
      { name: "pages", units: each, prepare: () => steps(both("logged")) },
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
          const user = sessions.long[longer++] as string;
          return steps((index) => agent.run(user, index));
        },
      },
    ];
    const times = await inRounds(contenders, rounds);
    bare.close();
    await close();
    const [commits, second = []] = [sizes[1]?.length ?? 0, sizes[1]];
    const sum = (what: keyof Commit) => second.reduce((all, commit) => all + commit[what], 0).toLocaleString("en");
    const ratio = (name: string, of = "floor") => ({ ...ratioOf(times, name, of), of });
    const rows: Row[] = [
      { case: "turn", what: "assembling the prompt", time: timeOf(times, "assemble") },
      {
        case: "turn",
        what: `${commits} bare commits`,
        time: timeOf(times, "commits"),
        note: `${sum("given")} bytes in all`,
      },
      { case: "turn", what: "floor: both", time: timeOf(times, "floor") },
      {
        case: "turn",
        what: "the same, with the pages a turn logs",
        time: timeOf(times, "pages"),
        note: `${sum("logged")} bytes`,
      },
      { case: "turn", what: "a turn", time: timeOf(times, "turn"), ratio: ratio("turn"), target: 2 },
      {
        case: "turn",
        what: "a turn, beside its pages",
        time: timeOf(times, "turn"),
        ratio: ratio("turn", "pages"),
        target: 2,
      },
      {
        case: "turn",
        what: `a turn after ${long} in its session`,
        time: timeOf(times, "later turn"),
        ratio: ratio("later turn"),
        target: 2,
      },
    ];
    return {
      title: "Turn  sovereign-turns through runTurn, with a model that answers at once, on SQLite",
      about: "the floor gathers and assembles the same prompt and makes as many bare commits of the same bytes",
      rows,
      wrong: [...wrong, ...agent.wrong],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
  /** Users whose session is open, and users whose session is long. */
  const warmedUp = async (count: number) => {
    const [short, longer]: [string[], string[]] = [[], []];
    for (let index = 0; index < count; index++) {
      short.push(await inTurn(`short-${index}`, 1));
      longer.push(await inTurn(`long-${index}`, long));
    }
    return { short, long: longer };
  };
  return { agent: { run, warmedUp, wrong }, standing, close: store.close };
}

type Counted = {
  readonly sizes: readonly (readonly Commit[])[];
  readonly standing: Readonly<Record<string, Standing>>;
  readonly wrong: readonly string[];
};

/** What each turn commits, in bytes, in a session that is open. */
async function commitsOf(path: string, turns: readonly Inputs[]): Promise<Counted> {
  const { home, commits } = countingHome(sqlite(path), path);
  const { agent, standing, close } = await agentOn(path, turns, home);
  await agent.run("bo", 0);
  const sizes: Commit[][] = [];
  for (const [index] of turns.entries()) {
    commits.length = 0;
    await agent.run("bo", index);
    sizes.push([...commits]);
  }
  await close();
  return { sizes, standing, wrong: agent.wrong };
}
