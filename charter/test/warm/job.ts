import type { MessagePort } from "node:worker_threads";

/** One run of the command: where, with which words, in which environment, and what it is given to read. */
export type Job = {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Uint8Array;
  /** In a process that has not read anything of its folder yet. */
  readonly anew?: boolean;
};

/** What it came to. */
export type Done = { readonly code: number; readonly stdout: string; readonly stderr: string };
export type Told = { readonly done: Done; readonly loaded: readonly string[] };

/** `last`: the run left something behind, so the next has a process of its own. `loaded`: our files, since it was last said. */
export type Answered = { readonly done: Done; readonly last: boolean; readonly loaded: readonly string[] };

/** A job for the thread that speaks with the process: where the answer goes, and what wakes who stands still for it. */
export type Asked = { readonly job: Job; readonly port: MessagePort; readonly state: SharedArrayBuffer };

/** The process is no more: it died over a run, or before it could begin one. */
export type Died = { readonly died: number | string };
