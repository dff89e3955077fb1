import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds that processes have to end by themselves, to end when asked, and to be gone when killed. */
const timeoutsMs = { ending: 20, term: 2000, kill: 1000 };

/**
 * Ends a process and all it has started, and returns how many there were: first they are asked, then killed.
 *
 * On Linux the whole session is found, so also jobs that a shell put into groups of their own; elsewhere only the group is. A
 * process that made a session of its own (setsid, a daemon) is not among them.
 */
export async function endGroup(leader: number): Promise<number> {
  // Some are just ending, now that their shell has; those do not count.
  if (await areGone(leader, timeoutsMs.ending)) return 0;
  const first = membersOf(leader);
  signalAll(leader, first, "SIGTERM");
  if (await areGone(leader, timeoutsMs.term)) return first.length;
  await areGone(leader, timeoutsMs.kill, "SIGKILL");
  return first.length;
}

/** Kills a group at once, for when this process ends itself. */
function killGroup(leader: number): void {
  signalAll(leader, membersOf(leader), "SIGKILL");
}

async function areGone(leader: number, milliseconds: number, signal?: NodeJS.Signals): Promise<boolean> {
  let pause = 5;
  for (let waited = 0; ; waited += pause, pause = Math.min(2 * pause, 100)) {
    const left = membersOf(leader);
    if (left.length === 0) return true;
    // Signals again each time: they may start others as long as they live.
    if (signal) signalAll(leader, left, signal);
    if (waited >= milliseconds) return false;
    await wait(pause);
  }
}

/** Signals the leader's group at once, since its members may start others meanwhile. */
function signalAll(leader: number, members: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of [-leader, ...members])
    try {
      process.kill(pid, signal);
    } catch {
      // The process is gone already.
    }
}

/** Lists the living members: a process that has ended and waits to be reaped does not count. */
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

/** Lists all processes; only Linux has them as files. */
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
 * Leaders of commands that run now. They are in groups of their own, so that what ends this process does not reach them: they are
 * ended with it. Listeners are there only while a command runs, and leave a signal to other listeners where there are any.
 */
const running = new Set<number>();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Ends a command with this process; returns a function that undoes this. */
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
