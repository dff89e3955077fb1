// Signals, as the launcher and the command understand them. Plain JavaScript that an old Node can read.

import { constants } from "node:os";

/** Those that ask a process to end, and are passed on to a child that stands for it. */
export const passedOn = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"];

/**
 * nohup has hang-ups ignored, and Node undoes that when it starts: what is left is that the shell wrote down what it ran.
 */
export function ignoresHangup(env = process.env) {
  return /(?:^|\/)nohup$/.test(env._ ?? "");
}

/** npm passes INT and TERM on to its child, which may have got them as well: the second is no second one. */
export function isUnderNpm(env = process.env) {
  return env.npm_command !== undefined;
}

/** As if this process had been sent the signal: whoever listens hears it, and where nobody does it ends. */
export function deliver(signal, emit = process.emit) {
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  else emit.call(process, signal, signal, numberOf(signal));
}

/** Ends as a child has: by the same signal, so that a shell sees 128 + its number, or with the same code. */
export function endAs({ code, signal }) {
  process.exitCode = signal ? 128 + numberOf(signal) : (code ?? 1);
  // Process 1 of a container has no default actions: no signal of its own would end it.
  if (signal && process.pid === 1) process.exit();
  if (signal) process.kill(process.pid, signal);
}

export function numberOf(signal) {
  return constants.signals[signal];
}
