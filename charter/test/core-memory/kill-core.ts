import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { NostrEvent } from "../../src/sources/core-memory/memory-key.ts";
import { copyOf, type PlaceName } from "../homes.ts";
import type { WriterOrders, WriterReport } from "./kill-writer.ts";
import { newResident, type ResidentStage } from "./resident-stage.ts";

const program = new URL("./kill-writer.ts", import.meta.url).pathname;

/** What is found after a process died, and after the next turn of another. */
export type CoreAftermath = {
  readonly died: boolean;
  /** What was on record when it was dead, and on the relay. */
  readonly left: "nothing" | "recorded" | "sent" | "published";
  readonly moments: readonly string[];
  readonly faults: readonly string[];
};

/** A core memory that was written once, from which each trial starts. */
export type CoreTrial = {
  readonly dies: (by: WriterOrders["by"], die: WriterOrders["die"]) => Promise<CoreAftermath>;
  readonly close: () => Promise<void>;
};

export async function newCoreTrial(home: PlaceName): Promise<CoreTrial> {
  const stage = await newResident(home);
  stage.time.now = new Date();
  await stage.set("You are Ada.");
  const [first] = (await stage.relay.held()) as [NostrEvent];
  await stage.store.close();
  return { dies: (by, die) => diesAt({ ...stage, first }, by, die), close: stage.close };
}

async function diesAt(
  stage: ResidentStage & { readonly first: NostrEvent },
  by: WriterOrders["by"],
  die: WriterOrders["die"],
): Promise<CoreAftermath> {
  const { relay, folder, key, time, first } = stage;
  relay.shelf.events.clear();
  relay.shelf.upsert(first);
  const taken: NostrEvent[] = [];
  const upsert = relay.shelf.upsert;
  relay.shelf.upsert = (event) => {
    taken.push(event);
    return upsert.call(relay.shelf, event);
  };
  const place = await copyOf(stage.place);
  const report = await live({
    url: place.url,
    key: join(folder, "ada.key"),
    relay: relay.url,
    by,
    text: "You are Ada, and like trains.",
    ...(die ? { die } : {}),
  });
  time.now = new Date();
  const faults = report.complaint === "" ? [] : [report.complaint];
  const { store, host, prompt, set } = await stage.another(place);
  const made = await store.publications.list({ agent: "ada" });
  const history = await store.history.listWhole({ agent: "ada" }, "core");
  const [newest] = made;
  const isRecorded = history.length === 2;
  if (made.length !== history.length) faults.push(`${history.length} revisions and ${made.length} events`);
  const isThere = async () => (await relay.held()).some(({ id }) => isRecorded && id === newest?.id);
  const left = !isRecorded
    ? "nothing"
    : !(await isThere())
      ? "recorded"
      : newest?.state === "published"
        ? "published"
        : "sent";

  // The next turn of another process: what was recorded goes out with the same id, and nothing else does.
  const words = isRecorded ? "You are Ada, and like trains." : "You are Ada.";
  if (by === "turn") {
    const { state } = await host.runTurn({ agent: "ada", input: "Who are you?", user: null });
    const killed = (await store.turns.list()).find(({ id }) => id === "killed");
    if (state !== "answered") faults.push(`the next turn was ${state}`);
    if (report.died && killed && !["interrupted", "answered"].includes(killed.state))
      faults.push(`it is ${killed.state}`);
  }
  if (!(await prompt()).includes(words)) faults.push(`the next prompt does not say “${words}”`);
  if (isRecorded && !(await isThere())) faults.push("the next look did not send it");
  const ids = new Set(taken.map(({ id }) => id));
  if (ids.size > (isRecorded ? 1 : 0)) faults.push(`${ids.size} events for one amendment`);
  for (const event of taken) if (isRecorded && event.id !== newest?.id) faults.push(`${event.id} is nobody's`);
  const after = await store.publications.list({ agent: "ada" });
  if (after.some(({ state }) => state !== "published")) faults.push(`${after.map(({ state }) => state)} in the end`);
  if ((await store.history.list({ agent: "ada" }, "core")).length !== history.length) faults.push("another revision");
  if (relay.shelf.events.size !== 1) faults.push(`${relay.shelf.events.size} events on the relay`);
  const [said] = (await relay.held()).map((event) => JSON.parse(key.open(event) as string).profile);
  if (said !== words) faults.push(`the relay says “${said}”`);
  const outcome = await set("You are Ada, and like ships.");
  if (outcome.publication?.state !== "published") faults.push(`the next change: ${JSON.stringify(outcome)}`);
  relay.shelf.upsert = upsert;
  await host.close(0);
  await store.close();
  await place.remove();
  return { died: report.died, left, moments: report.moments, faults };
}

/** One life of a writer. */
async function live(orders: WriterOrders): Promise<{ died: boolean; moments: readonly string[]; complaint: string }> {
  const child = spawn(process.execPath, ["--conditions=charter-source", program, JSON.stringify(orders)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...process.env },
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on("close", (_, signal) => resolve(signal)));
  const [said, complaint, signal] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const report = said === "" ? undefined : (JSON.parse(said) as WriterReport);
  return { died: signal === "SIGKILL", moments: report?.moments ?? [], complaint };
}

/** What became of a writer that died at one moment after the other. */
export type CoreDeaths = {
  readonly deaths: number;
  readonly left: Readonly<Record<CoreAftermath["left"], number>>;
  readonly faults: readonly string[];
};

/** Dies at these moments, counted from 1. */
export async function dieWriting(
  trial: CoreTrial,
  by: WriterOrders["by"],
  moments: readonly number[],
): Promise<CoreDeaths> {
  const left = { nothing: 0, recorded: 0, sent: 0, published: 0 };
  const faults: string[] = [];
  for (const count of moments) {
    const found = await trial.dies(by, { count });
    faults.push(...found.faults.map((fault) => `${by}, moment ${count}: ${fault}`));
    // What comes over a wire comes in more or fewer pieces: the last moments may be lacking.
    if (found.died) left[found.left]++;
  }
  return { deaths: left.nothing + left.recorded + left.sent + left.published, left, faults };
}
