import type { Model } from "../../delivery/model.ts";
import { createHost } from "../../host/create-host.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { sqlite } from "../../store/home/sqlite/sqlite.ts";
import { createStore } from "../../store/store.ts";
import { demoModels, demoTools, noOtherModel, usualDemoModel } from "./demo-agents.ts";
import { daysLived, demoZone, liveDays } from "./demo-days.ts";

const { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } =
  process.getBuiltinModule("node:fs");
const { dirname, join } = process.getBuiltinModule("node:path");

/** The demo's own database, and beside it the note that says so: nothing else is ever opened or deleted. */
export type DemoPlace = { readonly database: string; readonly note: string };

export function demoPlaceIn(directory: string): DemoPlace {
  return { database: join(directory, ".charter/demo.db"), note: join(directory, ".charter/demo.json") };
}

/** When the demo that is there was made; nothing where there is none. */
export function demoMadeAt({ database, note }: DemoPlace): Date | undefined {
  if (!existsSync(database)) return undefined;
  const made = madeIn(note);
  if (made) return made;
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

/** Deletes the demo that is there, unless another process has it open. */
export async function removeDemo(place: DemoPlace): Promise<void> {
  if (demoMadeAt(place) === undefined) return;
  await checkUnused(place.database);
  for (const file of [place.note, ...filesOf(place.database)]) rmSync(file, { force: true });
}

function filesOf(database: string): string[] {
  return ["", "-wal", "-shm"].map((ending) => database + ending);
}

/** SQLite leaves its log only when nobody else has the file open. */
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

/** What a process left that was ended while it made a demo. */
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

/** Makes the demo: in a file of another name first, so that one that was interrupted is not taken for a whole one. */
export async function makeDemo({ database, note }: DemoPlace, now: Date, say: (line: string) => void): Promise<void> {
  const making = `${database}.${process.pid}`;
  mkdirSync(dirname(database), { recursive: true });
  removeLeftovers(dirname(database));
  let time = now;
  const clock = () => time;
  /** A model takes its time: a second, and what the words of its answer take. */
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
