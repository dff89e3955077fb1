import type { ModelSources } from "../table/find-model.ts";

/** Something that was found out about a model, and what to do where it is not fine. */
export type ProbeFinding = { readonly what: string; readonly fine: boolean; readonly hint?: string };

export type ProbeOptions = ModelSources & {
  readonly fetch?: typeof fetch;
  /** How long a model may take to answer: a local one is loaded first. */
  readonly withinMs?: number;
  /** A limit in dollars holds for it: then what it uses must be counted. That its price is known is told with the limit. */
  readonly limited?: boolean;
  /** False: it is sent no picture, so that it is asked one word and no more. */
  readonly pictures?: boolean;
};
