import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** How long processes are given to end by themselves, and how long the system to clear them away. */
const timeouts = { ending: 20, term: 2000, kill: 1000 };

/**
 * Ends a process and all it has started, and says how many there were: asked first, then without asking.
 *
 * On Linux all of its session are found, so also jobs a shell put into groups of their own; elsewhere its group is.
 * What made itself a session of its own (setsid, a daemon) is not among them.
 */
export async function endGroup(leader: number): Promise<number> {
  // Some are just ending, now that their shell has; those were not left.
  if (await areGone(leader, timeouts.ending)) return 0;
  const first = membersOf(leader);
  signalAll(leader, first, "SIGTERM");
  if (await areGone(leader, timeouts.term)) return first.length;
  await areGone(leader, timeouts.kill, "SIGKILL");
  return first.length;
}

/** At once and without asking: for when this process ends itself. */
function killGroup(leader: number): void {
  signalAll(leader, membersOf(leader), "SIGKILL");
}

async function areGone(leader: number, milliseconds: number, signal?: NodeJS.Signals): Promise<boolean> {
  let pause = 5;
  for (let waited = 0; ; waited += pause, pause = Math.min(2 * pause, 100)) {
    const left = membersOf(leader);
    if (left.length === 0) return true;
    // Each time anew: they may start others as long as they live.
    if (signal) signalAll(leader, left, signal);
    if (waited >= milliseconds) return false;
    await wait(pause);
  }
}

/** The leader's group is told in one go, since its members may start others meanwhile. */
function signalAll(leader: number, members: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of [-leader, ...members])
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already.
    }
}

/** Those that live: what has ended and only waits to be noticed does not count. */
function membersOf(leader: number): number[] {
  const processes = runningProcesses();
  if (processes)
    return processes.filter(({ group, session }) => session === leader || group === leader).map(({ pid }) => pid);
  try {
    process.kill(-leader, 0);
    return [leader];
  } catch {
    return [];
  }
}

type Process = { readonly pid: number; readonly group: number; readonly session: number };

/** Only Linux lists them in files. */
function runningProcesses(): Process[] | undefined {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => processOf(Number(name)));
  } catch {
    return undefined;
  }
}

function processOf(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, , group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? [] : [{ pid, group: Number(group), session: Number(session) }];
  } catch {
    return [];
  }
}

/**
 * Commands that run now. They are in groups of their own, so what ends this process does not reach them: they are ended
 * with it. Listeners are there only while a command runs, and leave a signal that others listen to, to them.
 */
const running = new Set<number>();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Returns how to forget it again. */
export function endWithProcess(leader: number): () => void {
  if (running.size === 0) listen();
  running.add(leader);
  return () => {
    if (running.delete(leader) && running.size === 0) listenNoMore();
  };
}

function killAll(): void {
  for (const leader of running) killGroup(leader);
}

function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  listenNoMore();
  process.kill(process.pid, signal);
}

function listen(): void {
  process.on("exit", killAll);
  for (const signal of signals) process.on(signal, onSignal);
}

function listenNoMore(): void {
  process.off("exit", killAll);
  for (const signal of signals) process.off(signal, onSignal);
}
