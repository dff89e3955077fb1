import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Agent, AgentOptions, Tool } from "../../../src/agent/index.ts";
import {
  type ExtensionFault,
  type Extensions,
  type ExtensionsOptions,
  loadExtensions,
} from "../../../src/agent/index.ts";
import type { Scripted } from "../model.ts";
import { newStage, type Stage, type Told, tool } from "../stage.ts";

export type ExtensionStage = Stage & {
  readonly folder: string;
  readonly write: (files: Readonly<Record<string, string>>) => void;
  /** All that was reported so far, as code and message by file. */
  readonly faults: () => string[];
  /** Loads these files, in this order, and gives an agent whose charter brings them. */
  readonly load: (paths: readonly string[], options?: Partial<ExtensionsOptions>) => Promise<Extensions>;
  readonly with: (extensions: Extensions, model: Scripted, options?: Partial<AgentOptions>) => Promise<Agent & Told>;
};

/** The tools a coding agent has built in, as far as extensions see them. */
export const builtIn: readonly Tool[] = ["read", "bash", "edit", "write", "grep"].map((name) =>
  tool(name, (input) => `${name} ${JSON.stringify(input)}`),
);

/** A stage, and a folder extensions are written to. */
export async function newExtensionStage(): Promise<ExtensionStage> {
  const stage = await newStage();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "charter-extensions-")));
  const faults: ExtensionFault[] = [];
  await stage.store.agents.add({ name: "ada", charter: "staged", model: "test/one" });
  return {
    ...stage,
    folder,
    write: (files) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
    },
    faults: () =>
      faults.map(({ extension, code, message }) => `${extension.slice(folder.length + 1)}: ${code}: ${message}`),
    load: (paths, options = {}) =>
      loadExtensions(
        {
          paths: paths.map((path) => join(folder, path)),
          cwd: folder,
          builtIn,
          report: (fault) => faults.push(fault),
          now: () => 0,
          ...options,
        },
        "startup",
      ),
    with: async (extensions, model, options = {}) =>
      stage.agent(model, {
        charter: () => {
          const tools = extensions.tools();
          return { ...stage.declaration, tools: async () => tools, hooks: extensions.hooks };
        },
        ...options,
      }),
    close: async () => {
      await stage.close();
      rmSync(folder, { recursive: true });
    },
  };
}
