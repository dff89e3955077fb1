import { once } from "node:events";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Asked, Died, Done, Job, Told } from "./job.ts";

/**
 * Runs the command in a process that is kept for the next run: starting Node and reading our files costs twenty times
 * what most commands do. Whoever asks stands still; the doors have the command in a process of its own, as in a shell.
 */
export function runWarm(job: Job): Done {
  const { port, state } = ask(job);
  if (Atomics.wait(state, 0, 0, longest) === "timed-out") {
    thread = undefined;
    throw new Error(`The command did not end in ${longest / 1000} s: ${job.args.join(" ")}`);
  }
  return doneOf(job, receiveMessageOnPort(port)?.message);
}

/** The same while this process goes on. */
export async function runWarmMeanwhile(job: Job): Promise<Done> {
  const { port } = ask(job);
  const [answer] = await once(port, "message");
  port.close();
  return doneOf(job, answer);
}

/** No test's own limit ends what stands still: a command takes no longer than this. */
const longest = 100_000;

let thread: Worker | undefined;

function ask(job: Job): { readonly port: MessagePort; readonly state: Int32Array } {
  if (thread === undefined) {
    thread = new Worker(new URL("./thread.ts", import.meta.url));
    thread.unref();
  }
  const { port1, port2 } = new MessageChannel();
  const asked: Asked = { job, port: port2, state: new SharedArrayBuffer(4) };
  thread.postMessage(asked, [port2]);
  return { port: port1, state: new Int32Array(asked.state) };
}

function doneOf(job: Job, answer: Told | Died): Done {
  if ("died" in answer) throw new Error(`The command's process died with ${answer.died}: ${job.args.join(" ")}`);
  for (const file of answer.loaded) loaded.add(file);
  recordLoaded();
  return answer.done;
}

/** Our files that any process of ours has loaded: more than this command needed, and never less. */
const loaded = new Set<string>();

/** `vitest --since-last-run` runs a file again when what it loaded has changed, and cannot see into another process. */
function recordLoaded(): void {
  const { __vitest_worker__: worker } = globalThis as { __vitest_worker__?: { dependencies?: Set<string> } };
  for (const file of loaded) worker?.dependencies?.add(file);
}
