import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createHost } from "../../src/host/create-host.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { newFile, type Place } from "../homes.ts";
import { type AgentScript, type ScriptedAgent, type Step, scriptedAgent } from "./agent-script.ts";
import { isAlive } from "./is-alive.ts";
import type { LifeOrders } from "./kill-life.ts";

const program = new URL("./kill-life.ts", import.meta.url).pathname;

/** Who is killed: the agent, a process it started, the one that carries our tools to it, or our own. */
const victims = ["agent", "agent", "agent", "child", "tools", "ours"] as const;
type Victim = (typeof victims)[number];

const soul = "Be kind, and brief. Zsoulz";
const note = { instructions: "Answer in French." };
const steps: readonly Step[] = [
  { child: true },
  { say: "Let me see. " },
  { tool: { toolCallId: "t1", title: "Look", kind: "read", status: "pending" } },
  { call: "update_instructions", input: note },
  { permission: { toolCallId: "t2", title: "Write", kind: "edit" }, denied: [{ say: "Not that, then. " }] },
  { tool: { toolCallId: "t1", status: "completed" } },
  { say: "Done." },
];
const systemPrompt = {};
const scripts: readonly AgentScript[] = [
  { initialize: { agentCapabilities: { sessionCapabilities: { systemPrompt } } } },
  {},
  { version: 2, initialize: { capabilities: { session: { systemPrompt, mcp: { stdio: {} } } } } },
  { initialize: { agentCapabilities: { loadSession: true, _meta: { "buzz.systemPrompt": true } } } },
];
/** So many trials at a time: most of each is waiting. */
const lanes = 4;
/** A turn leaves about so many lines in the agent's log. */
const moments = 10;

export type KillsReport = {
  readonly kills: number;
  readonly answered: number;
  readonly failed: number;
  readonly interrupted: number;
  /** It was killed before the turn was on record. */
  readonly unbegun: number;
  readonly faults: readonly string[];
};

/** Kills in the middle of turns, at one moment after the other from `first` on, and looks at what is left. */
export async function killAgents(kills: number, first = 0): Promise<KillsReport> {
  const counts = { answered: 0, failed: 0, interrupted: 0, unbegun: 0 };
  const faults: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    const at = first + next++;
    if (at >= first + kills) return;
    const victim = victims[at % victims.length] as Victim;
    const moment = 1 + (Math.floor(at / victims.length) % moments);
    const found = await trial({
      victim,
      moment,
      script: scripts[(at + Math.floor(at / 12)) % scripts.length] as AgentScript,
      delay: at % 4,
    });
    counts[found.state]++;
    faults.push(...found.faults.map((fault) => `${victim}, moment ${moment}: ${fault}`));
    await lane();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { kills, ...counts, faults };
}

type Trial = { readonly victim: Victim; readonly moment: number; readonly script: AgentScript; readonly delay: number };
type State = "answered" | "failed" | "interrupted" | "unbegun";

async function trial({ victim, moment, script, delay }: Trial): Promise<{ state: State; faults: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "acp-kill-"));
  const place = await newFile();
  const agent = scriptedAgent(folder, { ...script, turns: [steps] }, { served: true, permissions: "deny" });
  const home = join(folder, "home");
  try {
    const store = await createStore(place.open());
    await store.agents.add({ name: "ada", charter: "assistant", model: "acp/one", settings: { original: { soul } } });
    const input = "Please look. Zkilledz";
    const orders = { url: place.url, home, entry: agent.entry, turn: "killed", input };
    const complaint =
      victim === "ours"
        ? await dieOurselves(orders, agent, moment, delay)
        : await survive(store, orders, agent, { victim, moment, delay });
    await store.close();
    return await aftermath(place, { home, agent, complaint, victim });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await place.remove();
  }
}

/** Our own process is killed, without a word. */
async function dieOurselves(
  orders: LifeOrders,
  agent: ScriptedAgent,
  moment: number,
  delay: number,
): Promise<string[]> {
  const child = spawn(process.execPath, ["--conditions=charter-source", program, JSON.stringify(orders)], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...process.env },
  });
  let printed = "";
  child.stderr.on("data", (chunk) => {
    printed += chunk;
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver && agent.log().length < moment) await wait(1);
  await wait(delay);
  child.kill("SIGKILL");
  await ended;
  return printed === "" ? [] : [`it printed ${printed}`];
}

/** Someone else is killed, and our process sees the turn to its end. */
async function survive(
  store: Store,
  { home, entry, turn, input }: LifeOrders,
  agent: ScriptedAgent,
  { victim, moment, delay }: Omit<Trial, "script">,
): Promise<string[]> {
  const host = createHost({ store, env: { PATH: process.env.PATH }, acp: { one: entry }, acpHome: home });
  let isOver = false;
  const running = host
    .runTurn({ id: turn, agent: "ada", user: "bo", channel: "web", input })
    .then(
      () => [],
      (error: unknown) => [`the turn threw ${error}`],
    )
    .finally(() => {
      isOver = true;
    });
  const target = () => {
    const [child, tools] = agent.log().flatMap((line) => ("child" in line ? [line.child] : []));
    return victim === "agent" ? agent.log()[0]?.pid : victim === "child" ? child : tools;
  };
  while (!isOver && (agent.log().length < moment || target() === undefined)) await wait(1);
  await wait(delay);
  const pid = target();
  try {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  } catch {
    // It was quicker.
  }
  const faults = await running;
  await host.close(0);
  return faults;
}

type Left = {
  readonly home: string;
  readonly agent: ScriptedAgent;
  readonly complaint: readonly string[];
  readonly victim: Victim;
};

/** What is on record, what the agent was sent, and whether the next turn is as it should be. */
async function aftermath(
  place: Place,
  { home, agent, complaint, victim }: Left,
): Promise<{ state: State; faults: string[] }> {
  const faults = [...complaint];
  const store = await createStore(place.open());
  const host = createHost({ store, env: { PATH: process.env.PATH }, acp: { one: agent.entry }, acpHome: home });
  await gone(agent, faults, "after the kill");
  const next = await host.runTurn({ agent: "ada", user: "bo", channel: "web", input: "And now? Znextz" });
  if (next.state !== "answered" || !next.reply?.includes("Done."))
    faults.push(`the next turn: ${JSON.stringify(next)}`);
  const killed = (await store.turns.list()).find(({ id }) => id === "killed");
  const state = killed === undefined ? "unbegun" : killed.state;
  const allowed = victim === "ours" ? ["answered", "interrupted", "unbegun"] : ["answered", "failed"];
  if (!allowed.includes(state)) faults.push(`the turn is ${state}`);
  if (state === "failed") {
    const steps = await store.steps.of("killed");
    if (!JSON.stringify(steps).includes("acp/one")) faults.push(`it does not say why: ${JSON.stringify(killed)}`);
  }
  await host.close(0);
  await store.close();
  await gone(agent, faults, "in the end");
  const prompts = agent.prompts().map((blocks) => blocks.join(""));
  for (const word of ["Zkilledz", "Znextz"]) {
    const sent = prompts.filter((text) =>
      text.split("\n").some((line) => line.includes(word) && !line.startsWith(">")),
    );
    if (sent.length > 1) faults.push(`${word} was sent ${sent.length} times`);
  }
  const calls = agent.log().flatMap((line) => ("called" in line ? [JSON.stringify(line.result)] : []));
  for (const result of calls) if (result?.includes("Not run")) faults.push(`a call came to ${result}`);
  faults.push(...identityFaults(agent));
  return { state: state as State, faults };
}

/** Each session has the identity, once. */
function identityFaults(agent: ScriptedAgent): string[] {
  const sessions = new Map<string, number>();
  const heard = agent.log().flatMap((line) => ("received" in line ? [line.received] : []));
  const openings = heard.filter(({ method }) => /^session\/(new|load|resume)$/.test(String(method)));
  const inSlot = openings.filter((message) => JSON.stringify(message).includes("Zsoulz"));
  for (const { params, method } of heard)
    if (method === "session/prompt") {
      const id = String(Object(params).sessionId);
      const times = JSON.stringify(params).split("Zsoulz").length - 1;
      sessions.set(id, (sessions.get(id) ?? 0) + times);
    }
  const due = inSlot.length > 0 ? 0 : 1;
  const wrong = [...sessions].filter(([, times]) => times !== due);
  const some = inSlot.length === 0 || inSlot.length === openings.length ? [] : ["a session has no identity"];
  return [...some, ...wrong.map(([id, times]) => `the identity was in ${times} messages of ${id}`)];
}

/** No process is left. */
async function gone(agent: ScriptedAgent, faults: string[], when: string): Promise<void> {
  const patience = Date.now() + 30_000;
  while (agent.pids().some(isAlive) && Date.now() < patience) await wait(5);
  const left = agent.pids().filter(isAlive);
  if (left.length > 0) faults.push(`${left.length} processes are left ${when}`);
  for (const pid of left) process.kill(pid, "SIGKILL");
}
