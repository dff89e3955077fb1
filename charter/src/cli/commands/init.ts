import type { InitInput } from "../../operations/here/maintain.ts";
import { oneLine } from "../../operations/print/columns.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import {
  charterOfText,
  filesOf,
  firstCharter,
  sectionList,
  writeCharterFolder,
} from "../../sources/charter-folder/write-folder.ts";
import { readText } from "../../sources/input-file.ts";
import type { ParsedCommand } from "../command/parse-command.ts";

const { basename, relative, resolve, sep } = process.getBuiltinModule("node:path");

/** Makes a folder of Markdown that is a charter, and says what is fixed in it. */
export async function run({ input, json }: ParsedCommand): Promise<number> {
  const { folder, from } = input as InitInput;
  const name = basename(resolve(folder));
  if (name === "")
    throw new Problem("usage", `“${folder}” is no name for a folder.`, "Name one, as in charter init tally.");
  const text = from === undefined ? undefined : readText(from, "prompt");
  const charter = text === undefined ? firstCharter(name) : charterOfText(name, text);
  writeCharterFolder(folder, filesOf(charter));
  const sections = sectionList(charter);
  if (json) {
    process.stdout.write(`${JSON.stringify({ folder, charter: name, sections })}\n`);
    return 0;
  }
  const path = resolve(folder).startsWith(resolve(".") + sep)
    ? `./${relative(".", resolve(folder)).split(sep).join("/")}`
    : folder;
  const fixed = sections.filter(({ mutability }) => mutability === "fixed");
  const lines = [
    `Made ${path}: ${counted(sections.length, "section")}${from === undefined ? "" : `, together ${from} to the letter`}.`,
    ...sections.map(({ file, mutability, chars }) => `  ${file}  ${mutability}, ${counted(chars, "character")}`),
    `Fixed: ${fixed.map(({ section }) => section).join(", ")}. No agent and no user can change what is fixed, and charter lock pins it.`,
    ...(text !== undefined && /\{\{/.test(text)
      ? ["“{{” in it stays as it is: values are filled in live layers only (docs/charter-folder.md)."]
      : []),
    ...(from === undefined
      ? []
      : [
          "To let one be changed, name it in a layer with mutability: { amendableBy: [agent, operator], scope: user }.",
        ]),
    `See its prompt: charter show --charter ${path}`,
  ];
  process.stdout.write(`${lines.map(oneLine).join("\n")}\n`);
  return 0;
}
