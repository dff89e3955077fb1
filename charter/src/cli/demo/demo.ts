import type { Model } from "../../delivery/model.ts";
import { createHost } from "../../host/create-host.ts";
import type { StartInput } from "../../operations/here/run.ts";
import { colours, pairs, progressOn } from "../../operations/print/columns.ts";
import { hintsHere } from "../../operations/print/command-name.ts";
import { wrapText } from "../../operations/print/plain-text.ts";
import { Problem, reasonOf, rethrowUnlessProblem } from "../../prompt/problem.ts";
import type { Config } from "../../server/config.ts";
import type { OpenOptions } from "../../server/open.ts";
import { sqlite } from "../../store/home/sqlite/sqlite.ts";
import { checkVersion } from "../../store/schema.ts";
import { createStore } from "../../store/store.ts";
import { optionName } from "../command/parse-command.ts";
import { keepFromGit } from "../shared/store.ts";
import { daysLived, demoModels, demoTools, demoZone, liveDays, noOtherModel, usualDemoModel } from "./demo-house.ts";
import { tries } from "./demo-words.ts";

const { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } =
  process.getBuiltinModule("node:fs");
const { tmpdir } = process.getBuiltinModule("node:os");
const { dirname, join, resolve } = process.getBuiltinModule("node:path");

/** Differences of `charter start` for a demo: the config and options it opens, and facts for its banner. */
export type Demo = {
  readonly config: Config & { readonly database: string };
  readonly options: Partial<OpenOptions>;
  readonly tries: typeof tries;
  /** Time it was made: just now, or at an earlier start. */
  readonly made: Date;
  readonly isNew: boolean;
};

type DemoValues = Pick<StartInput, "host" | "port" | "fresh">;

/** Options allowed with --demo; any other would make it something else than a demo. */
const allowed = ["demo", "fresh", "host", "port", "noOpen", "verbose", "json"];

/**
 * Makes the demo's database, or finds it, and cuts this process off from all settings: the environment, those of the directory,
 * and its files.
 */
export async function prepareDemo(values: DemoValues): Promise<Demo> {
  checkValues(values);
  const place = demoPlaceIn(resolve("."));
  leaveHere();
  if (values.fresh) await removeDemo(place);
  const before = demoMadeAt(place);
  const now = new Date();
  if (before) await checkSchema(place);
  else await make(place, now);
  return {
    config: {
      ...{ database: place.database, operator: "olga", zone: demoZone, keys: {}, tools: demoTools },
      ...{ model: usualDemoModel, models: demoModels(() => new Date()), automaton: { agent: "sol", every: 3600 } },
      ...(values.host !== undefined ? { host: values.host } : {}),
      ...(values.port !== undefined ? { port: portOf(values.port) } : {}),
    },
    options: {
      env: {},
      demo: { tries },
      loadModel: noOtherModel,
      checkCharter: async ({ name, charter }) => {
        if (/^[a-z]+$/.test(charter)) return;
        throw new Problem(
          "not-in-demo",
          `“${name}” has the charter ${charter}, and a demo runs no file.`,
          "Choose one of the charters that come with Charter, or start it without --demo.",
        );
      },
    },
    ...{ tries, made: before ?? now, isNew: before === undefined },
  };
}

function checkValues(values: DemoValues): void {
  const [other] = Object.entries(values).find(([name, one]) => one !== undefined && !allowed.includes(name)) ?? [];
  if (other !== undefined)
    throw new Problem(
      "usage",
      `--${optionName(other)} does not go with --demo: a demo has a database and settings of its own.`,
      `Leave it out. With --demo go ${allowed
        .slice(1)
        .map((name) => `--${optionName(name)}`)
        .join(", ")}.`,
    );
  if (values.port !== undefined) portOf(values.port);
  const { host } = values;
  if (host === undefined || /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/.test(host)) return;
  throw new Problem(
    "usage",
    `A demo is for this machine alone, and the host is ${host}.`,
    "Leave --host out, or give 127.0.0.1.",
  );
}

function portOf(words: string): number {
  if (/^\d{1,5}$/.test(words) && Number(words) < 65_536) return Number(words);
  throw new Problem("usage", `--port is “${words}”, which is no port.`, "Give a number from 0 to 65535.");
}

/** Moves to an empty folder, so that no file of the directory is found by its name: no settings, no lock file, no project. */
function leaveHere(): void {
  const bare = bareEnvironment(process.env);
  for (const name of Object.keys(process.env)) if (!(name in bare)) delete process.env[name];
  const folder = mkdtempSync(join(tmpdir(), "charter-demo-"));
  process.chdir(folder);
  process.on("exit", () => {
    process.chdir(tmpdir());
    rmSync(folder, { recursive: true, force: true });
  });
}

async function make(place: DemoPlace, now: Date): Promise<void> {
  const progress = progressOn();
  if (!process.stderr.isTTY) process.stderr.write("Making the demo: this takes some seconds.\n");
  try {
    await keepFromGit(place.database, () => makeDemo(place, now, progress.say));
  } finally {
    progress.end();
  }
}

/** Refuses a demo of another version: it is made anew and never converted, since it holds nobody's data. */
async function checkSchema({ database }: DemoPlace): Promise<void> {
  const home = sqlite(database);
  try {
    await checkVersion(home);
  } catch (error) {
    rethrowUnlessProblem(error);
    throw new Problem(error.code, error.message, "Make the demo anew: charter start --demo --fresh");
  } finally {
    await home.close();
  }
}

/** The demo's own database, and the note that says it is one: no other database is ever opened or deleted. */
export type DemoPlace = { readonly database: string; readonly note: string };

function demoPlaceIn(directory: string): DemoPlace {
  return { database: join(directory, ".charter/demo.db"), note: join(directory, ".charter/demo.json") };
}

/** Time when the existing demo was made; undefined if there is none. */
function demoMadeAt({ database, note }: DemoPlace): Date | undefined {
  if (!existsSync(database)) return undefined;
  const time = madeIn(note);
  if (time) return time;
  throw new Problem(
    "bad-database",
    `${database} was not made by charter start --demo: ${note} is missing, or does not say when.`,
    "If it is yours, move it elsewhere. Then start the demo again.",
  );
}

function madeIn(note: string): Date | undefined {
  try {
    const { made } = JSON.parse(readFileSync(note, "utf8")) as { readonly made?: unknown };
    const at = new Date(String(made));
    return Number.isNaN(at.getTime()) ? undefined : at;
  } catch {
    return undefined;
  }
}

/** Deletes the existing demo, unless another process has it open. */
async function removeDemo(place: DemoPlace): Promise<void> {
  if (demoMadeAt(place) === undefined) return;
  await checkUnused(place.database);
  for (const file of [place.note, ...filesOf(place.database)]) rmSync(file, { force: true });
}

function filesOf(database: string): string[] {
  return ["", "-wal", "-shm"].map((ending) => database + ending);
}

/** Refuses if the file is in use: SQLite leaves its log mode only if nobody else has the file open. */
async function checkUnused(database: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const handle = new DatabaseSync(database);
  try {
    handle.exec("pragma journal_mode = delete");
  } catch (error) {
    throw new Problem(
      "store-busy",
      `${database} cannot be made anew: ${reasonOf(error)}.`,
      "Stop the demo that runs with it (Ctrl-C), then try again.",
    );
  } finally {
    handle.close();
  }
}

/** Removes the files of a process that ended while it made a demo. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^demo\.db\.(\d+)(?:-wal|-shm)?$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Makes the demo in a file of another name, so that an interrupted one is not taken for complete. */
async function makeDemo({ database, note }: DemoPlace, now: Date, say: (line: string) => void): Promise<void> {
  const making = `${database}.${process.pid}`;
  mkdirSync(dirname(database), { recursive: true });
  removeLeftovers(dirname(database));
  let time = now;
  const clock = () => time;
  /** Slows the model down on the demo's clock: a second, plus the time its answer takes. */
  const slow = (model: Model): Model => ({
    ...model,
    ask: async (...asked) => {
      const result = await model.ask(...asked);
      time = new Date(time.getTime() + 1000 + 23 * (result.answer?.usage.output ?? 500));
      return result;
    },
  });
  const models = Object.entries(demoModels(clock)).map(([name, model]) => [name, slow(model)] as const);
  try {
    const store = await createStore(sqlite(making, { create: true }), { now: clock });
    const host = createHost({
      ...{ store, clock, env: {}, zone: demoZone, tools: demoTools, keys: {} },
      ...{ models: Object.fromEntries(models), model: usualDemoModel, loadModel: noOtherModel },
    });
    try {
      await liveDays({
        ...{ host, now },
        setClock: (next) => {
          time = next;
        },
        onDay: (daysAgo) => say(`Making the demo: day ${daysLived - daysAgo + 1} of ${daysLived + 1}`),
      });
    } finally {
      await host.close(0);
      await store.close();
    }
    writeFileSync(note, `${JSON.stringify({ made: now.toISOString() })}\n`);
    renameSync(making, database);
  } finally {
    for (const file of filesOf(making)) rmSync(file, { force: true });
  }
}

type BannerFacts = { readonly demo: Demo; readonly url: string; readonly link: string; readonly moved: boolean };

/** Lines printed when a demo runs: the link, what it is, and what to try. */
export function demoBanner({ demo, url, link, moved }: BannerFacts): string[] {
  const { bold, cyan, dim, yellow } = colours(process.stdout);
  const width = (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
  const { database } = demo.config;
  const madeText = demo.isNew ? "made just now" : `made ${demo.made.toISOString().slice(0, 10)}`;
  const rows: [string, string][] = [
    ["agents", "ada, art, cody, rex, sol: one of each charter"],
    ["you are", "olga, the operator"],
    ["model", "the stand-in alone, whatever keys are set"],
    ["database", `${database} (${madeText}; --fresh makes it anew)`],
  ];
  const another = hintsHere(`charter tokens sign-in --url ${url} --database ${database}`);
  return [
    `${bold("A demo of Charter")} is running at ${cyan(url)}${moved ? " (4747 is taken)" : ""}`,
    "",
    "Sign in, once, within ten minutes:",
    `  ${cyan(link)}`,
    ...wrapText(`Another link: ${another}`, width).map(dim),
    "",
    ...pairs(rows, process.stdout),
    ...wrapText(
      "Everything in it is made up. No setting of this directory is read, and nothing leaves this machine.",
      width,
    ).map(yellow),
    "",
    "Say one of these to ada, on the page Chat:",
    ...demo.tries.flatMap(({ say, result }) => [`  “${say}”`, ...wrapText(`    ${result}`, width).map(dim)]),
    "",
    dim("Ctrl-C stops it."),
  ];
}

/** Variables that a demo keeps: the terminal, the language, the screen and where programs are. */
const keptVariables =
  /^(?:PATH|PATHEXT|HOME|USERPROFILE|USER|LOGNAME|SHELL|COMSPEC|SYSTEMROOT|WINDIR|APPDATA|LOCALAPPDATA|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|DISPLAY|WAYLAND_DISPLAY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|BROWSER|NODE_\w+|npm_(?!config_)\w+|_)$/i;

/** Environment without keys, tokens, addresses and settings. It lists what is kept, so that a new key is not forgotten. */
export function bareEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && keptVariables.test(name) ? [[name, value]] : [],
    ),
  );
}
