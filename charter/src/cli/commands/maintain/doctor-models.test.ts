import { dirname } from "node:path";
import { expect, test } from "vitest";
import { Problem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import { checkAcp } from "./doctor-agents.ts";

const agents = (models: Record<string, string | null>) => ({
  agents: {
    list: async () => Object.entries(models).map(([name, model]) => ({ name, model }) as AgentRecord),
  } as never,
});
const { execPath } = process;

test("of each agent over ACP it is said whether it is described, can be started, and is served", async () => {
  const store = agents({
    ada: "acp/one",
    bea: "acp/two",
    cid: "acp/gone",
    dot: "acp/none",
    eve: "anthropic/x",
    fay: null,
  });
  const acp = {
    one: { command: ["node"] },
    two: { command: [execPath, "agent.ts"], served: true },
    gone: { command: ["no-such-program"] },
  };
  expect(await checkAcp(store, async () => acp, dirname(execPath))).toEqual([
    {
      what: `“ada” answers with acp/one, the program ${execPath}; it is not served: chat, editors and schedules of the operator's own use it.`,
      fine: true,
    },
    {
      what: `“bea” answers with acp/two, the program ${execPath}; it is served, so users' turns use its tools, with the rights of the service.`,
      fine: true,
    },
    {
      what: "“cid” cannot be asked: there is no program “no-such-program” for its model acp/gone.",
      fine: false,
      hint: "Install it, or name another as the command of acp.gone in charter.config.ts, by its whole path if it is not on PATH.",
    },
    {
      what: "“dot” cannot be asked: There is no agent “none” for the model “acp/none”.",
      fine: false,
      hint: "The agents in charter.config.ts are “one”, “two”, “gone”.",
    },
  ]);
});

test("a configuration that may not be run is what is found; without such agents none is read", async () => {
  const untrusted = async () => {
    throw new Problem("config-untrusted", "It is not run.", "Say charter trust.");
  };
  expect(await checkAcp(agents({ ada: "acp/one" }), untrusted, "")).toEqual([
    { what: "“ada” cannot be asked: its model is acp/one. It is not run.", fine: false, hint: "Say charter trust." },
  ]);
  expect(await checkAcp(agents({ ada: null }), untrusted, "")).toEqual([]);
});
