// npm and npx run a command through a shell that dies of a signal and passes nothing on. A process that they run
// therefore looks whether its parent is still there. One that was put in the background on purpose is left alone.

import { fstatSync, readFileSync, statSync } from "node:fs";
import { createHearing } from "./hearing.js";
import { ignoresHangup, isUnderNpm } from "./signals.js";

const interval = 500;

/** Calls back once, when whoever started this process under npm is gone. */
export function whenParentGoes(gone, isDetached = wasPutInTheBackground) {
  if (!isUnderNpm() || process.platform === "win32" || ignoresHangup() || isDetached()) return () => {};
  const parent = process.ppid;
  const npm = npmAbove(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || parentOf(parent) === npm)) return;
    clearInterval(timer);
    gone();
  }, interval);
  timer.unref();
  return () => clearInterval(timer);
}

/** npm, where it runs a shell that runs this process: killed, it leaves a shell that waits. */
function npmAbove(parent) {
  const above = parentOf(parent);
  try {
    return /npm|npx|yarn/.test(readFileSync(`/proc/${above}/cmdline`, "utf8").split("\0")[0]) ? above : undefined;
  } catch {
    return undefined;
  }
}

function parentOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1]);
  } catch {
    return undefined; // No /proc here, or no such process any more.
  }
}

/** Ends this process as a polite kill would when its parent is gone. */
export function endWithParent() {
  whenParentGoes(createHearing().parentGone);
}

/** By “&” in a package script: then the shell gives it the empty file to read. What npx was given is a command. */
function wasPutInTheBackground() {
  if (process.env.npm_command === "exec") return false;
  try {
    return fstatSync(0).rdev === statSync("/dev/null").rdev;
  } catch {
    return true;
  }
}
