import type { Tool, ToolContext } from "../tool.ts";
import { type Extension, extensionName } from "./extension.ts";
import { badTool, extensionTool } from "./extension-tool.ts";
import { createOccasions, type Occasions } from "./occasion.ts";
import { createToolRegistry, type ToolRegistry } from "./tool-registry.ts";
import { createWaitingMessages, type WaitingMessages } from "./waiting-messages.ts";

/** What all extensions of one load share. */
export type Host = {
  readonly cwd: string;
  readonly registry: ToolRegistry;
  readonly occasions: Occasions;
  readonly waiting: WaitingMessages;
  /** Makes a tool of an extension's definition, and registers it. */
  readonly register: (extension: Extension, definition: unknown) => void;
  /** The active tools are others now: a turn that has taken its tools keeps those, and the extension is told so. */
  readonly tellChange: (extension: Extension) => void;
  /** A tool as `getAllTools` tells of it. */
  readonly info: (name: string) => object;
  /** Names nobody knew while extensions are still loaded: one that comes later may bring them. */
  readonly unknown: { readonly extension: Extension; readonly names: readonly string[] }[];
  loading: boolean;
  wantsReload: boolean;
};

type Hosting = {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly builtIn: readonly Tool[];
  readonly active?: readonly string[];
};

export async function createHost({ paths, cwd, builtIn, active }: Hosting): Promise<Host> {
  const registry = createToolRegistry(builtIn, active);
  const occasions = createOccasions();
  // A tool is registered without waiting: what that needs is here before the first extension is.
  const zod = paths.length === 0 ? undefined : await import("zod");
  const tellChange = ({ accuse }: Extension) => {
    const at = occasions.now();
    // An input handler is asked before the turn takes its tools.
    if (at !== undefined && at.where !== "input" && occasions.turns.has(at.turn))
      accuse("tools-changed", `changed the active tools in ${at.where}: that holds from the next turn on.`);
  };
  return {
    cwd,
    registry,
    tellChange,
    occasions,
    waiting: createWaitingMessages(),
    unknown: [],
    loading: true,
    wantsReload: false,
    info: (name) => {
      const { description, summary, schema, input } = registry.all().find((tool) => tool.name === name) as Tool;
      return { name, description: description ?? summary ?? name, parameters: schema ?? zod?.toJSONSchema(input) };
    },
    register: (extension, definition) => {
      const { accuse, ctx, path } = extension;
      const within = <Result>(tool: string, { turn, scope }: ToolContext, work: () => Result) => {
        const notice = (one: { code: string; message: string }) => occasions.turns.get(turn)?.notices.push(one);
        return occasions.within({ turn, user: scope.user, where: `the tool “${tool}”`, notice }, () =>
          extension.run(work),
        );
      };
      const details = ({ turn, call }: ToolContext, value: unknown) =>
        occasions.turns.get(turn)?.details.set(call, value);
      try {
        const fromJsonSchema = zod?.fromJSONSchema as never;
        const replaced = registry.builtIn((Object(definition) as { name?: string }).name ?? "");
        const tool = extensionTool(definition, { fromJsonSchema, accuse, ctx, within, details, replaced });
        const became = registry.register(path, tool);
        if (became === "replaced") accuse("tool-replaced", `replaces the built-in tool “${tool.name}”.`);
        else if (became !== "registered")
          accuse(
            "tool-twice",
            `registers “${tool.name}”, which ${extensionName(became.twice)} has registered; the first stands.`,
          );
        if (became === "registered" || became === "replaced") tellChange(extension);
      } catch (error) {
        accuse("bad-tool", badTool(definition, error));
      }
    },
  };
}
