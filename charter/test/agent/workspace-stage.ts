import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Agent, type AgentEvent, type AgentOptions, createAgent } from "../../src/agent/index.ts";
import { toolList } from "../../src/agent/toolset.ts";
import { workspaceTools } from "../../src/agent/workspace/workspace-tools.ts";
import { coder } from "../../src/charters/index.ts";
import type { ToolResult } from "../../src/delivery/model.ts";
import { standIn } from "../../src/delivery/stand-in.ts";
import { empty } from "../../src/index.ts";
import { createStore, type Store, sqlite } from "../../src/store/index.ts";
import { newWorkspace, type WorkspaceBench } from "./workspace-bench.ts";

/** Coding agents, and what their tools came to; each test has a workspace and a store of its own. */
export function workspaceStage(): {
  readonly bench: WorkspaceBench;
  readonly agent: (options?: Partial<AgentOptions>) => Agent;
  readonly results: () => ToolResult[];
} {
  let bench: WorkspaceBench;
  let store: Store;
  let database: string;
  const events: AgentEvent[] = [];
  beforeEach(async () => {
    bench = newWorkspace();
    database = join(bench.root, "charter.db");
    store = await createStore(sqlite(database));
    events.length = 0;
  });
  afterEach(async () => {
    await store.close();
    bench.remove();
  });
  return {
    get bench() {
      return bench;
    },
    agent: (options = {}) => {
      const none = () => empty;
      const { root } = bench;
      const env = { PATH: process.env.PATH };
      return createAgent({
        charter: coder({ system: none, append: none, context: none, skills: none, cwd: root }),
        model: standIn(),
        store,
        on: (event) => events.push(event),
        ...options,
        tools: [...workspaceTools({ root, env, protected: [database] }), ...toolList(options.tools)],
      });
    },
    results: () => events.flatMap((event) => (event.kind === "tool-result" ? [event.result] : [])),
  };
}
