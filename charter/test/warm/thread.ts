import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { workerData } from "node:worker_threads";
import type { Answered, Died, Done, Job, Line } from "./job.ts";

/** Speaks with the process, so that a test can stand still until its command is done. */
const { state, port } = workerData as Line;
const signal = new Int32Array(state);
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
async function answerOf(process: ChildProcess, job: Job): Promise<Done | Died> {
  const over = new AbortController();
  const said = once(process, "message", over).then(([answer]) => {
    const { done, last } = answer as Answered;
    if (last) process.disconnect();
    return done;
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

port.on("message", async (job: Job) => {
  const process = started(job);
  process.channel?.ref();
  port.postMessage(await answerOf(process, job));
  process.channel?.unref();
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
});
