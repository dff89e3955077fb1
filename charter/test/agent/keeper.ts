import {
  type Answer,
  type AskOptions,
  type Model,
  type ModelRequest,
  type ModelResult,
  type PrepareResult,
  receiverOf,
} from "../../src/delivery/index.ts";

const usage = { input: null, read: null, written: null, output: null };

export const said = (text: string, more: Partial<Answer> = {}): ModelResult => ({
  answer: { text, calls: [], finish: "stop", usage, ...more },
});

export type Keeper = Model & { readonly requests: ModelRequest[]; fresh: boolean };

/** A receiver that keeps the conversation and acts while it answers, as a script says. */
export function keeper(
  answers: readonly ((asking: AskOptions, request: ModelRequest) => Promise<ModelResult>)[],
  prepare?: () => PrepareResult,
  more: object = {},
): Keeper {
  let at = 0;
  const requests: ModelRequest[] = [];
  const receiver = receiverOf("keeper/one", { voice: "user", keepsHistory: true, ...more });
  const model: Keeper = {
    receiver,
    requests,
    fresh: true,
    prepare: async () => prepare?.() ?? { prepared: { slot: "system-prompt", fresh: model.fresh } },
    ask: async (request, asking) => {
      requests.push(request);
      model.fresh = false;
      return (answers[at++] as (typeof answers)[number])(asking, request);
    },
  };
  return model;
}
