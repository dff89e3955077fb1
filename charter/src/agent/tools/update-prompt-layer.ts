import { type Charter, defineCharter, sectionMutability } from "../../prompt/charter.ts";
import type { Layer } from "../../prompt/layer.ts";
import type { Section } from "../../prompt/section.ts";
import { defineTool, type Tool, toolInput } from "../tool.ts";
import { proposeChange } from "./amendment-result.ts";

const compactSays =
  "One line, at most 240 characters, that stands for the layer when your prompt has to be short: its most important rules. Without it, the first sentences of content do.";

/** Tool: the agent rewrites one of its layers, by number. For charters whose layers are named by their numbers. */
export function updatePromptLayer(charter: Charter): Tool {
  const numbered = defineCharter(charter).layers.filter(({ name }) => /^\d+$/.test(name));
  const amendable = numbered.filter((layer) => amendableSections(layer).length === 1).map(({ name }) => name);
  const ids = amendable.join(", ");
  const input = toolInput((z) => ({
    layer_id: z.int().min(0).max(99).describe(`Which layer: one of ${ids}.`),
    content: z.string().describe("All of the layer's new words, without its heading."),
    compact: z.string().optional().describe(compactSays),
  }));
  return defineTool({
    name: "update_prompt_layer",
    input,
    summary: `Rewrite one of your own prompt layers (${ids})`,
    description: `Replaces the words of one of your own prompt layers (${ids}) for good; the change is in your next request. It is a rewrite: include everything of the layer that you want to keep, and leave out its heading. The other layers cannot be changed. Once a turn. A refused change comes back with every reason and changes nothing.`,
    guidelines: [
      "Use update_prompt_layer for one small, checkable improvement a turn; repeat every line of the layer you want to keep",
    ],
    callsPerTurn: 1,
    states: ["ExecutingActions"],
    run: ({ layer_id: id, content, compact }, context) => {
      const layer = numbered.find(({ name }) => name === String(id));
      const section = layer && sectionOf(layer);
      if (!section)
        return {
          text: `There is no layer ${id} to change. Those you can are ${ids}. Nothing was changed.`,
          failed: true,
        };
      const can = amendable.includes(String(id)) ? {} : { layersYouCanChange: amendable.map(Number) };
      const operation = { kind: "rewrite", content, ...(compact === undefined ? {} : { compact }) } as const;
      return proposeChange(context, { section: section.name, operation }, can);
    },
  });
}

/** The one section of a layer that an agent can amend; failing that, the one section it has, for the guards to speak of. */
function sectionOf(layer: Layer): Section | undefined {
  const [only, ...others] = amendableSections(layer);
  return only && others.length === 0 ? only : layer.sections.length === 1 ? layer.sections[0] : undefined;
}

function amendableSections(layer: Layer): Section[] {
  return layer.sections.filter((section) => {
    const mutability = sectionMutability(section, layer);
    return typeof mutability === "object" && mutability.amendableBy.includes("agent");
  });
}
