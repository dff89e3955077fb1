// A child that stands for this process: it hears what this one is told, and this one ends as it has ended. Plain
// JavaScript that an old Node can read.
//
// Between the two is a lifeline, a pipe that closes when either dies however that came about. Signals go along it and
// not as signals, because one that was sent to the whole process group (Ctrl-C, systemd) has reached the child already,
// and only a child that is told "this one came to me" can tell a second from an echo (lifeline.js).

import { spawn } from "node:child_process";
import { isatty } from "node:tty";
import { whenParentGoes } from "./parent.js";
import { ignoresHangup, isUnderNpm, passedOn } from "./signals.js";

/** A child that does not answer by then does not read its lifeline, and is sent the signal itself. */
const patience = 5_000;
/** npm's copy of a signal comes this much later at most. */
const npmTakes = 2_000;

/**
 * Runs a program that takes up its lifeline, or with `stranger` any other, whose output is kept. `asked` is the first signal
 * that this process was sent meanwhile.
 */
export function runChild(program, args, { stranger = process.platform === "win32", isDetached, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, stranger ? { stdio: "inherit", ...options } : onLifeline(options));
    const lifeline = stranger ? undefined : child.stdio?.[3];
    let output = "";
    child.stdout?.on("data", (chunk) => (output += chunk));
    child.stderr?.on("data", (chunk) => (output += chunk));

    let listens = false;
    let unanswered;
    lifeline?.on("error", () => {});
    lifeline?.on("data", () => {
      listens = true;
      clearTimeout(unanswered);
      unanswered = undefined;
    });
    const tell = (signal) => {
      if (!listens || unanswered) return child.kill(signal);
      lifeline.write(`${signal}\n`);
      unanswered = setTimeout(() => child.kill(signal), patience);
    };

    let asked;
    const heard = new Map();
    const passOn = (signal) => {
      if (signal === "SIGHUP" && ignoresHangup()) return;
      asked ??= signal;
      const again = performance.now() - (heard.get(signal) ?? Number.NEGATIVE_INFINITY) < npmTakes;
      heard.set(signal, performance.now());
      // The keys of a terminal reach the child too. One on a lifeline takes both for one; a stranger cannot.
      if (signal === "SIGINT" && isatty(0) && stranger) return;
      // npm's copy of a signal says nothing new.
      if (again && isUnderNpm()) return;
      tell(signal);
    };
    for (const signal of passedOn) process.on(signal, passOn);
    const stopWatching = whenParentGoes(() => passOn("SIGTERM"), isDetached);

    const done = (result) => {
      for (const signal of passedOn) process.off(signal, passOn);
      clearTimeout(unanswered);
      stopWatching();
      lifeline?.destroy();
      resolve({ ...result, asked, output });
    };
    child.on("error", (error) => {
      output += `${error.message}\n`;
      done({ code: 1, error });
    });
    child.on(stranger ? "close" : "exit", (code, signal) => done({ code, signal }));
  });
}

/** With `outputApart` the child has this process's standard output at 4, and whatever prints there prints an error. */
function onLifeline({ outputApart, ...options }) {
  return {
    ...options,
    stdio: outputApart ? ["inherit", 2, 2, "pipe", 1] : ["inherit", "inherit", "inherit", "pipe"],
    env: { ...(options.env ?? process.env), CHARTER_LIFELINE: "3", ...(outputApart ? { CHARTER_OUTPUT: "4" } : {}) },
  };
}
