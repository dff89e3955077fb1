import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { acp } from "./cases/acp.ts";
import { chain } from "./cases/chain.ts";
import { coderPrompt } from "./cases/coder-prompt.ts";
import { concurrent } from "./cases/concurrent.ts";
import { core } from "./cases/core.ts";
import { fitting } from "./cases/fit.ts";
import { fit4000 } from "./cases/fit-4000.ts";
import { growth, historyStart, users } from "./cases/growth.ts";
import { inbox } from "./cases/inbox.ts";
import { joins } from "./cases/joins.ts";
import { kept } from "./cases/kept.ts";
import { keptRequests } from "./cases/kept-requests.ts";
import { lists } from "./cases/lists.ts";
import { memory } from "./cases/memory.ts";
import { pages } from "./cases/pages.ts";
import { queues } from "./cases/queues.ts";
import { serve } from "./cases/serve.ts";
import { sessions } from "./cases/sessions.ts";
import { skills } from "./cases/skills.ts";
import { soak } from "./cases/soak.ts";
import { start } from "./cases/start.ts";
import { studio } from "./cases/studio.ts";
import { turn } from "./cases/turn.ts";
import { waiting } from "./cases/waiting.ts";
import { gate } from "./gate.ts";
import { opened } from "./opening.ts";
import { loadPeers, type Peers } from "./peers.ts";
import { printed, type Report, reached } from "./report.ts";

const help = `Measures Charter beside a floor, a limit and other libraries; bench/README.md says how to read it.

Usage: npm run bench [-- options]

  --quick             fewer rounds, fewer joins
  --only fit-4000,coder-prompt,fit,joins,start,kept,kept-requests,growth,users,history,turn,inbox,waiting,memory,concurrent,core,chain,acp,skills,serve,soak,sessions,lists,pages,queues,studio
                      these cases only
  --rounds <n>        so many rounds (21; with --quick, 5)
  --no-peers          without the other libraries, which the first run installs into bench/node_modules
  --gate <commit>     compares this build with an earlier one instead, as HEAD~1, and ends with 1 if it is slower
  --json              the figures as JSON
  --help              this text

It ends with 1 when a result was wrong (a count, a text), never because a target was missed: machines differ.
`;

type Case = (peers: Peers, rounds: number, quick: boolean) => Report | Promise<Report>;

const cases: Readonly<Record<string, Case>> = {
  "fit-4000": (peers, rounds) => fit4000(peers, rounds),
  "coder-prompt": (peers, rounds) => coderPrompt(peers, rounds),
  fit: (peers, rounds) => fitting(peers, rounds),
  joins: (_peers, _rounds, quick) => joins(quick ? 10_000 : 100_000),
  start: (_peers, rounds) => start(rounds),
  kept: (_peers, _rounds, quick) => kept(quick ? 1000 : 10_000),
  "kept-requests": (_peers, _rounds, quick) => keptRequests(quick ? 400 : 2000),
  growth: (_peers, rounds, quick) => growth(rounds, quick),
  users: (_peers, rounds, quick) => users(rounds, quick),
  history: (_peers, rounds, quick) => historyStart(rounds, quick),
  turn: (peers, rounds) => turn(peers, rounds),
  inbox: (_peers, rounds) => inbox(rounds),
  waiting: (_peers, rounds) => waiting(rounds),
  memory: (_peers, rounds) => memory(rounds),
  concurrent: (_peers, rounds, quick) => concurrent(rounds, quick),
  core: (_peers, rounds) => core(rounds),
  chain: (_peers, rounds) => chain(rounds),
  acp: (_peers, rounds) => acp(rounds),
  skills: (peers, rounds, quick) => skills(peers, rounds, quick),
  serve: (_peers, rounds) => serve(rounds),
  soak: (_peers, _rounds, quick) => soak(quick),
  sessions: (_peers, _rounds, quick) => sessions(quick),
  lists: (_peers, rounds, quick) => lists(rounds, quick),
  pages: (_peers, _rounds, quick) => pages(quick),
  queues: (_peers, rounds, quick) => queues(rounds, quick),
  studio: (_peers, _rounds, quick) => studio(quick),
};

const withPeers = ["fit-4000", "coder-prompt", "fit", "skills", "turn"];

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const options = opened(read(args), help);
  if ("exit" in options) return options.exit;
  if (options.gate !== undefined) return gate(options.gate, options.rounds);
  const names = options.only;
  const peers = await loadPeers(options.peers && names.some((name) => withPeers.includes(name)));
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, Node ${process.versions.node}, ${process.platform}-${process.arch}`;
  if (!options.json) process.stdout.write(`${machine}; ${options.rounds} rounds\n`);
  const reports: Report[] = [];
  for (const name of names) {
    const report = await (cases[name] as Case)(peers, options.rounds, options.quick);
    reports.push(report);
    if (!options.json) process.stdout.write(`${printed(report)}\n`);
  }
  const rows = reports.flatMap((report) => report.rows);
  const wrong = reports.flatMap((report) => report.wrong);
  if (options.json) {
    const marked = rows.map((row) => ({ ...row, reached: reached(row) }));
    process.stdout.write(`${JSON.stringify({ machine, rounds: options.rounds, rows: marked, wrong }, null, 2)}\n`);
  } else process.stdout.write(`\n${summary(rows.map(reached), wrong.length)}\n`);
  return wrong.length > 0 ? 1 : 0;
}

function summary(marks: readonly (boolean | undefined)[], wrong: number): string {
  const held = marks.filter((mark) => mark === true).length;
  const all = marks.filter((mark) => mark !== undefined).length;
  return `${held} of ${all} targets reached; ${wrong === 0 ? "no wrong result" : `${wrong} wrong results`}.`;
}

type Options = {
  help: boolean;
  json: boolean;
  quick: boolean;
  peers: boolean;
  rounds: number;
  only: string[];
  gate?: string;
};

/** The options, or what is wrong with them. */
function read(args: string[]): Options | string {
  try {
    const { values } = parseArgs({
      args,
      allowNegative: true,
      options: {
        help: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        peers: { type: "boolean", default: true },
        rounds: { type: "string" },
        only: { type: "string" },
        gate: { type: "string" },
      },
    });
    const only = values.only?.split(",") ?? Object.keys(cases);
    const unknown = only.find((name) => !Object.hasOwn(cases, name));
    if (unknown !== undefined) return `There is no case “${unknown}”; there are ${Object.keys(cases).join(", ")}.`;
    const rounds = Number(values.rounds ?? (values.quick ? 5 : 21));
    if (!Number.isSafeInteger(rounds) || rounds < 1) return `“${values.rounds}” is no number of rounds.`;
    return { ...values, rounds, only };
  } catch (error) {
    return (error as Error).message;
  }
}
