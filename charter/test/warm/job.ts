import type { MessagePort } from "node:worker_threads";

/** One run of the command: where, with which words, in which environment, and what it is given to read. */
export type Job = {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Uint8Array;
  /** In a process that has not read any code of its folder yet. */
  readonly anew?: boolean;
};

/** What it came to. */
export type Done = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** `last`: the run left something behind, so the next has a process of its own. */
export type Answered = { readonly done: Done; readonly last: boolean };

/** Between a test and the thread that speaks with the process: `state` wakes who asked. */
export type Line = { readonly state: SharedArrayBuffer; readonly port: MessagePort };

/** The process is no more: it died over a run, or before it could begin one. */
export type Died = { readonly died: number | string };
