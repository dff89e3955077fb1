import type { StartInput } from "../../operations/here/serve.ts";
import { progressOn } from "../../operations/print/progress.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Config } from "../../server/config.ts";
import type { OpenOptions } from "../../server/open.ts";
import { checkVersion } from "../../store/home/schema.ts";
import { sqlite } from "../../store/home/sqlite/sqlite.ts";
import { optionName } from "../command/parse-command.ts";
import { keepFromGit } from "../shared/store.ts";
import { bareEnvironment } from "./bare-environment.ts";
import { demoModels, demoTools, noOtherModel, usualDemoModel } from "./demo-agents.ts";
import { type DemoPlace, demoMadeAt, demoPlaceIn, makeDemo, removeDemo } from "./demo-database.ts";
import { demoZone } from "./demo-days.ts";
import { tries } from "./demo-words.ts";

const { mkdtempSync, rmSync } = process.getBuiltinModule("node:fs");
const { tmpdir } = process.getBuiltinModule("node:os");
const { join, resolve } = process.getBuiltinModule("node:path");

/** What `charter start` does otherwise for a demo: what it opens, and what its banner says. */
export type Demo = {
  readonly config: Config & { readonly database: string };
  readonly options: Partial<OpenOptions>;
  readonly tries: typeof tries;
  /** When it was made: just now, or at an earlier start. */
  readonly made: Date;
  readonly isNew: boolean;
};

type DemoValues = Pick<StartInput, "host" | "port" | "fresh">;

/** What goes with --demo; everything else would make it something else than a demo. */
const allowed = ["demo", "fresh", "host", "port", "noOpen", "verbose", "json"];

/**
 * Makes the demo's database, or finds it, and cuts this process off from everything that is set here: the environment,
 * the settings of the directory, and its files.
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

/** From an empty folder, no file of the directory is found by its name: no settings, no lock file, no project. */
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

/** A demo of another version is made anew, never converted: nothing in it is anybody's. */
async function checkSchema({ database }: DemoPlace): Promise<void> {
  const home = sqlite(database);
  try {
    await checkVersion(home);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, error.message, "Make the demo anew: charter start --demo --fresh");
  } finally {
    await home.close();
  }
}
