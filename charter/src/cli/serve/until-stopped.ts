import { ignoresHangup, isUnderNpm, numberOf } from "../../../bin/signals.js";
import type { OpenedCharter } from "../../server/open.ts";

/** One Ctrl-C comes twice under npx, which passes on what has reached everyone; so does a terminal that is closed. */
const oneMoment = isUnderNpm() ? 2000 : 500;

/** Waits until someone says stop (Ctrl-C, a polite kill), and closes in peace; a second time ends it at once. */
export async function untilStopped(opened: OpenedCharter, tell: (words: string) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (asked !== undefined && now - asked < oneMoment) return;
    if (asked !== undefined) process.exit(128 + numberOf(signal));
    asked = now;
    const running = opened.host.runningTurns();
    const waits =
      running === 0
        ? ""
        : ` when ${running === 1 ? "the running turn ends" : `${running} running turns end`}; Ctrl-C again stops at once`;
    tell(`Stopping${waits}.`);
    resolve();
  };
  // To the very end: one that comes late must not cut off the closing of the store.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  process.on("SIGHUP", ignoresHangup() ? () => {} : stop);
  await promise;
  await opened.close();
}
