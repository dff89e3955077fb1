import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AcpAgents, type AcpAgentsOptions, createAcpAgents } from "../../src/delivery/acp/acp-agents.ts";
import type { AcpEntry } from "../../src/delivery/acp/entry.ts";
import { stepMessages } from "../../src/delivery/history.ts";
import type { AskOptions, Message, Model, ModelResult, PrepareResult, ToolOffer } from "../../src/delivery/model.ts";
import { startScripted } from "./in-process.ts";

/** A folder of this test, and the agents in it, which are scripted; both are gone with the test. */
export function acpStage(how: "in this process" | "as processes" = "in this process"): {
  readonly folder: string;
  readonly agents: (entries: Record<string, AcpEntry>, options?: Partial<AcpAgentsOptions>) => AcpAgents;
} {
  const folder = mkdtempSync(join(tmpdir(), "acp-"));
  return {
    folder,
    agents: (entries, options = {}) => {
      const agents = createAcpAgents({
        entries,
        home: join(folder, "home"),
        env: { PATH: process.env.PATH },
        ...(how === "in this process" ? { start: startScripted } : {}),
        ...options,
      });
      onTestFinished(async () => await agents.close());
      return agents;
    },
  };
}

export type Talk = {
  identity: string;
  tools: readonly ToolOffer[];
  readonly history: Message[];
  state: string;
  /** Takes a turn as an agent's loop would: what was said is in the history of the next. */
  readonly say: (input: string, asking?: Partial<AskOptions>) => Promise<ModelResult>;
  readonly prepare: () => Promise<PrepareResult>;
  /** The words of an answer, or the code of the fault. */
  readonly reply: (input: string, asking?: Partial<AskOptions>) => Promise<string>;
};

const never = new AbortController().signal;

type Whose = { readonly id?: string; readonly agent?: string; readonly user?: string; readonly operator?: boolean };

/** A conversation with the one agent of a stage. */
export function talkWith(
  agents: (entries: Record<string, AcpEntry>) => AcpAgents,
  { entry }: { readonly entry: AcpEntry },
  session?: Whose,
): Talk {
  return talkTo(agents({ one: entry }).model("one"), session);
}

/** A conversation with a model, whose requests are always whole. */
export function talkTo(model: Model, session: Whose = {}): Talk {
  const { id = "s1", agent = "ada", operator = false, user } = session;
  const whose = { id, agent, operator, ...(user === undefined ? {} : { user }) };
  const talk: Talk = {
    identity: "You are Ada.",
    tools: [],
    history: [],
    state: "",
    prepare: async () => await (model.prepare as NonNullable<Model["prepare"]>)(whose, { signal: never }),
    say: async (input, asking = {}) => {
      const history: Message[] = [...talk.history, { role: "user", text: input }];
      const tail: Message[] = talk.state === "" ? [] : [{ role: "user", text: talk.state }];
      const request = {
        tools: talk.tools,
        system: talk.identity === "" ? [] : [{ text: talk.identity }],
        messages: [...history, ...tail],
        session: { ...whose, history: history.length },
      };
      const result = await model.ask(request, { signal: never, ...asking });
      if (result.answer)
        talk.history.splice(
          0,
          talk.history.length,
          ...history,
          ...stepMessages({ answer: result.answer, results: result.answer.results ?? [] }),
        );
      return result;
    },
    reply: async (input, asking) => {
      const { answer, fault } = await talk.say(input, asking);
      return answer ? answer.text : fault.code;
    },
  };
  return talk;
}
