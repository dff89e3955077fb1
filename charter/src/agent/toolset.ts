import type { ToolOffer } from "../delivery/model.ts";
import { allSections, type Charter, sectionMutability } from "../prompt/charter.ts";
import { listed, Problem, reasonOf } from "../prompt/problem.ts";
import type { ToolLine } from "../prompt/source.ts";
import type { Declaration } from "./declaration.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import type { Tool } from "./tool.ts";
import { toolList } from "./tool-list.ts";

/** An agent's tools: by name, as a model is offered them, and as they stand in the prompt. */
export type Toolset = {
  readonly byName: ReadonlyMap<string, Tool>;
  readonly offers: readonly ToolOffer[];
  /** What each lends the prompt, given how often it was called this turn. */
  readonly lines: (called: ReadonlyMap<string, number>) => readonly ToolLine[];
};

/**
 * The tools a charter brings, and the agent's own. A charter declared anew each turn is offered as the same tools; one
 * whose tools change has to be declared anew.
 */
export function createToolsets(tools: readonly Tool[]): (declaration: Declaration) => Promise<Toolset> {
  const known = new WeakMap<Declaration, Promise<Toolset>>();
  let last: Toolset | undefined;
  const made = async (declaration: Declaration): Promise<Toolset> => {
    const all = [...toolList(await declaration.tools?.()), ...tools];
    checkToolSections(declaration.charter, all);
    const toolset = await toolsetOf(all);
    const same = last !== undefined && JSON.stringify(last.offers) === JSON.stringify(toolset.offers);
    last = same ? { ...toolset, offers: (last as Toolset).offers } : toolset;
    return last;
  };
  return (declaration) => {
    const toolset = known.get(declaration) ?? made(declaration);
    known.set(declaration, toolset);
    // What went wrong once is tried again with the next turn.
    toolset.catch(() => known.delete(declaration));
    return toolset;
  };
}

/** A tool for a section that the charter does not have would fail only once a model calls it, and tell only the model. */
export function checkToolSections(charter: Charter, tools: readonly Tool[]): void {
  const amendable = allSections(charter).filter(
    ({ section, layer }) => typeof sectionMutability(section, layer) === "object",
  );
  const names = amendable.map(({ section }) => section.name);
  const changed = tools.flatMap(({ name, section = [] }) => [section].flat().map((one) => ({ name, section: one })));
  const lost = changed.find(({ section }) => !names.includes(section));
  if (!lost) return;
  throw new Problem(
    "unknown-section",
    `The tool “${lost.name}” changes “${lost.section}”, which is no section of “${charter.name}” that can be amended.`,
    `Those are ${listed(names)}.`,
  );
}

async function toolsetOf(tools: readonly Tool[]): Promise<Toolset> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name))
      throw new Problem("bad-tool", `There are two tools “${tool.name}”.`, `The tools are ${listed(byName.keys())}.`);
    byName.set(tool.name, tool);
  }
  const offers = tools.length === 0 ? [] : await offersOf(tools);
  const plain = linesOf(tools);
  return {
    byName,
    offers,
    lines: (called) =>
      tools.map((tool, index) => {
        if (tool.callsPerTurn === undefined) return plain[index] as ToolLine;
        return { ...(plain[index] as ToolLine), left: Math.max(0, tool.callsPerTurn - (called.get(tool.name) ?? 0)) };
      }),
  };
}

/** Tools as a model is offered them, with a JSON Schema each: the `offers` of `deliver`, for an own loop. */
export async function offersOf(tools: readonly Tool[]): Promise<ToolOffer[]> {
  return Promise.all(toolList(tools).map(offerOf));
}

async function offerOf({ name, summary = name, description = summary, input, schema: own }: Tool): Promise<ToolOffer> {
  try {
    const { $schema: _, ...schema } = own ?? (await jsonSchemaOf(input));
    // Every provider asks for one, and rejects whole requests otherwise.
    if (schema.type !== "object") throw new Error("Its input is no object.");
    return { name, description, input: schema };
  } catch (error) {
    throw new Problem(
      "bad-tool",
      `The tool “${name}” cannot be offered to a model: ${reasonOf(error)}`,
      error instanceof Problem
        ? error.hint
        : "Give it an object as its input, of what JSON can say; or a `schema`, the JSON Schema of its input.",
    );
  }
}

/** Tools as the prompt lists them: the `tools` of a `SourceContext`, for an own loop. */
export function linesOf(tools: readonly Tool[]): ToolLine[] {
  return toolList(tools).map(lineOf);
}

function lineOf({ name, summary, guidelines = [] }: Tool): ToolLine {
  return { name, ...(summary === undefined ? {} : { summary }), ...(guidelines.length > 0 ? { guidelines } : {}) };
}
