import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import type { Answered, Asked, Died, Job, Told } from "./job.ts";

/** Speaks with the process, so that a test can stand still until its command is done. */
const file = fileURLToPath(new URL("./process.ts", import.meta.url));
let child: ChildProcess | undefined;

function started({ env, anew }: Job): ChildProcess {
  if (anew && child?.connected) child.disconnect();
  if (child?.connected) return child;
  child = fork(file, [], {
    env,
    execArgv: ["--conditions=charter-source", "--disable-warning=ExperimentalWarning"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  // The process goes when the tests are over: nothing of it keeps this one.
  child.unref();
  return child;
}

/** What it says next, or that it is gone. */
async function answerOf(process: ChildProcess, job: Job): Promise<Told | Died> {
  const over = new AbortController();
  const said = once(process, "message", over).then(([answer]) => {
    const { last, ...told } = answer as Answered;
    if (last) process.disconnect();
    return told;
  });
  const gone = once(process, "exit", over).then(([code, killed]) => ({ died: code ?? killed }));
  said.catch(() => {});
  gone.catch((error) => ({ died: String(error) }));
  try {
    process.send(job);
    return await Promise.race([said, gone]);
  } catch (error) {
    return { died: String(error) };
  } finally {
    over.abort();
  }
}

let before: Promise<void> = Promise.resolve();

/** One run after the other: they share a process. */
parentPort?.on("message", (asked: Asked) => {
  before = before.then(() => answer(asked));
});

async function answer({ job, port, state }: Asked): Promise<void> {
  const process = started(job);
  process.channel?.ref();
  port.postMessage(await answerOf(process, job));
  process.channel?.unref();
  const signal = new Int32Array(state);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
}
