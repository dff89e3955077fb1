import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../process.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, inRounds, ratioOf, spreadOf, timeOf } from "../rounds.ts";
import type { Commit } from "../workloads/commits.ts";
import { type Asking, createCrowd } from "../workloads/crowd.ts";

const users = 200;
/** So many turns are on the clock in a round. */
const each = 400;

/** Turns over HTTP by 200 users at once, beside a bare server that commits as much and answers as much. */
export async function serve(rounds: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-serve-"));
  const charter = await started(folder, ["charter"]);
  const crowd = createCrowd(charter.facts, users);
  let other: Awaited<ReturnType<typeof started>> | undefined;
  try {
    await crowd.take(users * 2);
    await charter.ask<{ commits: Commit[] }>("commits");
    await crowd.take(users);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { commits } = await charter.ask<{ commits: Commit[] }>("commits");
    const perTurn = Math.round(commits.length / users);
    const mean = Math.round(commits.reduce((sum, { given }) => sum + given, 0) / commits.length);
    const sizes = Array.from({ length: perTurn }, () => mean);
    const answer = crowd.lastAnswer();
    other = await started(folder, ["bare", JSON.stringify(sizes), answer]);
    const bare = createCrowd(other.facts, users);
    const waits: number[][] = [];
    const contenders: Contender[] = [
      {
        name: "charter",
        units: each,
        prepare: () => [
          async () => {
            waits.push(await crowd.take(each));
          },
        ],
      },
      { name: "bare", units: each, prepare: () => [() => bare.take(each)] },
    ];
    const times = await inRounds(contenders, rounds);
    const page = createCrowd(charter.facts, users, { overOpenai: true });
    const processor = (name: string, some: typeof page): Contender => ({
      ...{ name, units: each, ownClock: true },
      prepare: () =>
        Array.from({ length: each / users }, () => async () => {
          const before = await charter.ask<number>("processor");
          await some.take(users);
          return (await charter.ask<number>("processor")) - before;
        }),
    });
    const processors = await inRounds([processor("turns", crowd), processor("openai", page)], rounds);
    bare.leave();
    page.leave();
    const tails = waits.slice(2).map((some) => {
      const sorted = some.toSorted((a, b) => a - b);
      return (sorted[Math.floor(sorted.length * 0.99)] as number) / (sorted[sorted.length >> 1] as number);
    });
    const rows: Row[] = [
      {
        case: "serve",
        what: `bare hono, ${perTurn} commits of ${mean} bytes`,
        time: timeOf(times, "bare"),
        note: `an answer of ${answer.length} bytes`,
      },
      {
        case: "serve",
        what: "a turn over HTTP",
        time: timeOf(times, "charter"),
        ratio: { ...ratioOf(times, "charter", "bare"), of: "bare" },
        target: 2,
        note: `${Math.round(1000 / timeOf(times, "charter").median)} turns a second`,
      },
      {
        case: "serve",
        what: "a turn over OpenAI's API, processor time of the server",
        time: timeOf(processors, "openai"),
        ratio: { ...ratioOf(processors, "openai", "turns"), of: "the same turn by POST …/turns" },
        target: 1.1,
      },
      {
        case: "serve",
        what: `the slowest in a hundred of ${users} users at once`,
        ratio: { ...spreadOf(tails), of: "the median wait" },
        target: 5,
      },
    ];
    return {
      title: `Serve  turns over HTTP by ${users} users at once, a model that answers at once, on SQLite`,
      about: "beside a bare hono server that answers as many bytes and makes as many commits of the same size",
      rows,
      wrong: [...crowd.wrong, ...bare.wrong, ...page.wrong],
    };
  } finally {
    crowd.leave();
    charter.stop();
    other?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A server in a process of its own. */
export async function started(folder: string, args: readonly string[]) {
  const program = join(root, "bench/workloads/served.ts");
  const execArgv = ["--conditions", "charter-source", "--expose-gc"];
  const child: ChildProcess = fork(program, [folder, ...args], {
    execArgv,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const next = <Said>() =>
    new Promise<Said>((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`The server ended with ${code}.`));
      child.once("exit", ended);
      child.once("message", (said) => {
        child.off("exit", ended);
        resolve(said as Said);
      });
    });
  const facts = await next<Asking>();
  return {
    facts,
    ask: <Said>(what: string) => {
      const said = next<Said>();
      child.send(what);
      return said;
    },
    stop: () => child.kill("SIGKILL"),
  };
}
