import type { Tool, ToolContext } from "../tool.ts";
import { type CallContexts, createCallContexts } from "./call-context.ts";
import { type Extension, extensionName } from "./extension.ts";
import { badTool, extensionTool } from "./extension-tool.ts";
import { createToolRegistry, type ToolRegistry } from "./tool-registry.ts";
import { createWaitingMessages, type WaitingMessages } from "./waiting-messages.ts";

/** What all extensions of one load share. */
export type ExtensionHost = {
  readonly cwd: string;
  readonly registry: ToolRegistry;
  readonly callContexts: CallContexts;
  readonly waiting: WaitingMessages;
  /** Makes a tool of an extension's definition, and registers it. */
  readonly register: (extension: Extension, definition: unknown) => void;
  /** The active tools are others now: a turn that has taken its tools keeps those, and the extension is told so. */
  readonly tellChange: (extension: Extension) => void;
  /** A tool as `getAllTools` tells of it. */
  readonly toolInfo: (name: string) => object;
  /** Names nobody knew while extensions are still loaded: one that comes later may bring them. */
  readonly unknownNames: { readonly extension: Extension; readonly names: readonly string[] }[];
  loading: boolean;
  wantsReload: boolean;
};

type ExtensionHostOptions = {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly builtIn: readonly Tool[];
  readonly active?: readonly string[];
};

export async function createExtensionHost({
  paths,
  cwd,
  builtIn,
  active,
}: ExtensionHostOptions): Promise<ExtensionHost> {
  const registry = createToolRegistry(builtIn, active);
  const occasions = createCallContexts();
  // A tool is registered without waiting: what that needs is here before the first extension is.
  const zod = paths.length === 0 ? undefined : await import("zod");
  const tellChange = ({ reportFault }: Extension) => {
    const at = occasions.current();
    // An input handler is asked before the turn takes its tools.
    if (at !== undefined && at.where !== "input" && occasions.turns.has(at.turn))
      reportFault("tools-changed", `changed the active tools in ${at.where}: that holds from the next turn on.`);
  };
  return {
    cwd,
    registry,
    tellChange,
    callContexts: occasions,
    waiting: createWaitingMessages(),
    unknownNames: [],
    loading: true,
    wantsReload: false,
    toolInfo: (name) => {
      const { description, summary, schema, input } = registry.all().find((tool) => tool.name === name) as Tool;
      return {
        name,
        description: description ?? summary ?? name,
        parameters: schema ?? zod?.toJSONSchema(input as never),
      };
    },
    register: (extension, definition) => {
      const { reportFault, ctx, path } = extension;
      const within = <Result>(tool: string, { turn, scope }: ToolContext, work: () => Result) => {
        const notice = (one: { code: string; message: string }) => occasions.turns.get(turn)?.notices.push(one);
        return occasions.within({ turn, user: scope.user, where: `the tool “${tool}”`, notice }, () =>
          extension.run(work),
        );
      };
      const onDetails = ({ turn, call }: ToolContext, value: unknown) =>
        occasions.turns.get(turn)?.details.set(call, value);
      try {
        const fromJsonSchema = zod?.fromJSONSchema as never;
        const replacedTool = registry.builtIn((Object(definition) as { name?: string }).name ?? "");
        const tool = extensionTool(definition, { fromJsonSchema, reportFault, ctx, within, onDetails, replacedTool });
        const became = registry.register(path, tool);
        if (became === "replaced") reportFault("tool-replaced", `replaces the built-in tool “${tool.name}”.`);
        else if (became !== "registered")
          reportFault(
            "tool-twice",
            `registers “${tool.name}”, which ${extensionName(became.twice)} has registered; the first is used.`,
          );
        if (became === "registered" || became === "replaced") tellChange(extension);
      } catch (error) {
        reportFault("bad-tool", badTool(definition, error));
      }
    },
  };
}
