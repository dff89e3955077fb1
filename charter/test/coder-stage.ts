import type { Workbench, WorkbenchOptions } from "../src/host/index.ts";
import type { Kind } from "../src/testing/strict/speech.ts";
import { type Loopback, newLoopback, type Told } from "./agent/extensions/loopback-agent.ts";
import { createTree, type Tree } from "./coder-tree.ts";

/** A coding agent at work: its directory on a disk, a provider on the loopback, and what the two make of each other. */
export type CoderStage = {
  readonly tree: Tree;
  readonly loopback: Loopback;
  readonly open: (options?: Partial<WorkbenchOptions>) => { readonly workbench: Workbench; readonly agent: Told };
  readonly close: () => Promise<void>;
};

export async function newCoderStage(kind: Kind): Promise<CoderStage> {
  const tree = createTree();
  const loopback = await newLoopback(kind);
  await loopback.store.agents.put({ name: "ada", charter: "coder" });
  const opened: Workbench[] = [];
  return {
    tree,
    loopback,
    open: (options) => {
      const workbench = tree.workbench(options);
      opened.push(workbench);
      return { workbench, agent: loopback.agent({ charter: () => workbench.declare() }) };
    },
    close: async () => {
      for (const workbench of opened) workbench.close();
      await loopback.close();
      tree.remove();
    },
  };
}
