import type { Opened } from "../../server/open.ts";

/** Waits until someone says stop (Ctrl-C, a polite kill), and closes in peace; a second time ends it at once. */
export async function untilStopped(opened: Opened, tell: (words: string) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const stop = () => {
    asked += 1;
    if (asked > 1) process.exit(130);
    const running = opened.house.running();
    const waits =
      running === 0 ? "" : ` when ${running === 1 ? "a turn is" : `${running} turns are`} over; again: at once`;
    tell(`Stopping${waits}.`);
    resolve();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    await promise;
    await opened.close();
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
