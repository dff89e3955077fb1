import type { AgentOptions, RunTurnOptions, TurnInput, TurnOutcome } from "../../../src/agent/index.ts";
import { type OwnLoop, openTurn } from "../../../src/agent/session.ts";
import type { Model } from "../../../src/delivery/model.ts";

/** An agent of the same options as `createAgent`'s, whose turns a plain loop runs: as somebody has it who asks an SDK. */
export function plainLoop({ model, loadModel: _, ...options }: AgentOptions) {
  const models = (Array.isArray(model) ? model : [model]) as readonly Model[];
  const byName = new Map(models.map((one) => [one.receiver.name, one]));
  const [first, ...others] = models as [Model, ...Model[]];
  const loop: OwnLoop = {
    ...options,
    receiver: [first.receiver, ...others.map(({ receiver }) => receiver)],
    ...(first.takesOutput ? { takesOutput: true } : {}),
    summarise: async (request, { receiver, signal }) => {
      const result = await (byName.get(receiver.name) as Model).ask(request, { signal });
      return result.answer ?? result;
    },
  };
  return {
    runTurn: async (asked: TurnInput, watching: RunTurnOptions = {}): Promise<TurnOutcome> => {
      const turn = await openTurn(loop, asked, watching);
      try {
        for (;;) {
          const { request, receiver } = await turn.next();
          const asking = (byName.get(receiver.name) as Model).ask(request, { signal: turn.signal });
          const { answer, fault } = await asking;
          if (fault) {
            await turn.failed(fault);
            continue;
          }
          const { calls, done } = await turn.answered(answer);
          if (done) return await turn.end();
          for (const call of calls) await turn.run(call);
        }
      } catch (problem) {
        return turn.end({ problem });
      }
    },
  };
}
