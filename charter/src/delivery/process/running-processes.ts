import { killGroup } from "./process-group.ts";

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
