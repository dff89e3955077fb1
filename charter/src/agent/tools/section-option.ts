import { badArgument, checkNames, isText, kindOf } from "../../prompt/argument.ts";

/** The section a tool is for. Without one it would fail only once a model calls it. */
export function sectionOption(tool: string, options: { readonly section: string }): string {
  const { section } = Object(options) as { readonly section?: unknown };
  if (isText(section)) {
    checkNames<{ section: string }>(tool, options, ["section"]);
    return section;
  }
  throw badArgument(`The section that ${tool} was given is ${kindOf(section)}.`, `Give ${tool}({ section: "goals" }).`);
}
