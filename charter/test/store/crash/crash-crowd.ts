import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { createStore } from "../../../src/store/index.ts";
import type { Place } from "../../homes.ts";
import { agent, type Told } from "./writer-of-many.ts";

const program = new URL("./writer-of-many.ts", import.meta.url).pathname;

export type CrowdReport = {
  readonly accepted: number;
  /** How often a writer came too late and read again. */
  readonly stale: number;
  readonly faults: readonly string[];
};

export type CrowdOptions = { readonly processes: number; readonly proposals: number };

/** Many processes on one new database, each changing the same section as often as it can, against what it has read. */
export async function crowd(place: Place, { processes, proposals }: CrowdOptions): Promise<CrowdReport> {
  const told: Told[] = [];
  const writers = Array.from({ length: processes }, (_, index) =>
    startWriter(place.url, `writer ${index}`, proposals, (one) => told.push(one)),
  );
  await Promise.all(writers.map(({ ready }) => ready));
  for (const { child } of writers) child.stdin?.write("go\n");
  const complaints = await Promise.all(writers.map(({ ended }) => ended));
  const accepted = told.filter(({ is }) => is === "accepted").length;
  const stale = told.reduce((sum, one) => sum + (one.is === "done" ? one.stale : 0), 0);
  const faults = [
    ...complaints.filter((words) => words !== ""),
    ...(await faultsIn(place, told, processes * proposals)),
  ];
  return { accepted, stale, faults };
}

function startWriter(url: string, name: string, proposals: number, hear: (told: Told) => void) {
  const child: ChildProcess = spawn(
    process.execPath,
    ["--conditions=charter-source", program, url, name, String(proposals)],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  let complaint = "";
  child.stderr?.on("data", (chunk) => {
    complaint += chunk;
  });
  child.stdin?.on("error", () => {});
  child.on("error", (error) => {
    complaint += error.message;
  });
  const ended = new Promise<string>((resolve) => child.on("close", () => resolve(complaint)));
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const told: Told = JSON.parse(line);
      if (told.is === "ready") resolve();
      hear(told);
    });
    child.on("close", () => resolve());
  });
  return { child, ready, ended };
}

async function faultsIn(place: Place, told: readonly Told[], expected: number): Promise<string[]> {
  const faults = told.flatMap((one) => (one.is === "problem" ? [`${one.code}: ${one.message}`] : []));
  const words = new Map<number, string>();
  for (const one of told)
    if (one.is === "accepted") {
      if (words.has(one.revision)) faults.push(`revision ${one.revision} was promised to two`);
      words.set(one.revision, one.text);
    }
  if (words.size !== expected) faults.push(`${words.size} of ${expected} proposals were accepted`);
  const store = await createStore(place.open());
  try {
    let next = expected;
    for (let before = expected + 1; before > 1; ) {
      const page = await store.history.listWhole({ agent }, "goals", { limit: 1000, before });
      for (const { revision, after } of page) {
        if (revision !== next) faults.push(`revision ${next} is missing`);
        if (after !== words.get(revision)) faults.push(`revision ${revision} is “${after}”`);
        next = revision - 1;
      }
      before = page.at(-1)?.revision ?? 1;
    }
    const [newest] = await store.history.list({ agent }, "goals", { limit: 1 });
    if (newest?.revision !== expected || next !== 0) faults.push(`revisions are ${next + 1}…${newest?.revision}`);
  } finally {
    await store.close();
  }
  return faults;
}
