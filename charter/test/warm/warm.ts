import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Died, Done, Job } from "./job.ts";

type Bridge = { readonly ask: (job: Job) => Done };

let bridge: Bridge | undefined;

/**
 * Runs the command in a process that is kept for the next run: starting Node and reading our files costs twenty times
 * what most commands do. `assistant-uat` and `docs-commands`, in the long tests, start one for each, as a shell would.
 */
export function runWarm(job: Job): Done {
  bridge ??= open();
  return bridge.ask(job);
}

/** Whoever asks stands still, so that no test's own limit ends it: a command takes no longer than this. */
const longest = 100_000;

function open(): Bridge {
  const state = new SharedArrayBuffer(4);
  const signal = new Int32Array(state);
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL("./thread.ts", import.meta.url), {
    workerData: { state, port: port2 },
    transferList: [port2],
  });
  worker.unref();
  return {
    ask: (job) => {
      Atomics.store(signal, 0, 0);
      port1.postMessage(job);
      if (Atomics.wait(signal, 0, 0, longest) === "timed-out") {
        bridge = undefined;
        throw new Error(`The command did not end in ${longest / 1000} s: ${job.args.join(" ")}`);
      }
      const done = receiveMessageOnPort(port1)?.message as Done | Died;
      if ("died" in done) throw new Error(`The command's process died with ${done.died}: ${job.args.join(" ")}`);
      return done;
    },
  };
}
