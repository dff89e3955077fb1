import type { DirectoryValues } from "../../../operations/common-fields.ts";
import { colours, columns, diagnosticLines, oneLine } from "../../../operations/print/columns.ts";
import { counted, Problem } from "../../../prompt/problem.ts";
import { disk } from "../../../sources/disk/disk.ts";
import { createFiles, unusedReasons } from "../../../sources/disk/file.ts";
import type { Diagnostic } from "../../../sources/disk/findings.ts";
import type { Skill } from "../../../sources/skills/skill.ts";
import { createSkills } from "../../../sources/skills/skills.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { placesOf, trustHint, workbenchOf } from "../../shared/directory.ts";

const { existsSync } = process.getBuiltinModule("node:fs");
const { resolve } = process.getBuiltinModule("node:path");

export async function run({ operation, input, json }: ParsedCommand): Promise<number> {
  if (operation.name === "skills.check") return check(resolve(String(input.path)), json);
  const values: DirectoryValues = input;
  const workbench = workbenchOf(values);
  await workbench.lines();
  const { skills, diagnostics, considered } = workbench.project.look();
  workbench.close();
  const others = new Set(considered.flatMap(({ role, path }) => (role === "skill" ? [] : [path])));
  const ours = diagnostics.filter((one) => !others.has(one.path));
  if (json) process.stdout.write(`${JSON.stringify({ skills, diagnostics: ours })}\n`);
  else {
    const withheld = considered.filter((one) => one.role === "skill" && one.reason === unusedReasons.untrusted).length;
    const lines = [
      ...listed(skills, withheld),
      ...withheldLines(withheld, values),
      ...diagnosticLines(ours, process.stdout),
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  return 0;
}

function withheldLines(withheld: number, values: DirectoryValues): string[] {
  if (withheld === 0) return [];
  const what = `${counted(withheld, "skill")} of the project ${withheld === 1 ? "is" : "are"} not used: it is not trusted.`;
  const hint = trustHint(values, placesOf(values));
  return [colours(process.stdout).yellow(hint === undefined ? what : `${what} ${oneLine(hint)}`)];
}

function listed(skills: readonly Skill[], withheld: number): string[] {
  if (skills.length === 0 && withheld > 0) return [];
  if (skills.length === 0)
    return [
      "There are no skills here. One is a directory with a SKILL.md, in .charter/skills or ~/.charter/agent/skills.",
    ];
  const cells = skills.map(({ name, description, location, hidden }) => [
    name,
    hidden ? "hidden" : "",
    location,
    description,
  ]);
  return [
    ...columns(["skill", "", "file", "description"], cells, process.stdout),
    colours(process.stdout).dim(counted(skills.length, "skill")),
  ];
}

/** The specification, to the letter: what it demands is an error here, also where a prompt would still list the skill. */
async function check(path: string, json: boolean): Promise<number> {
  if (!existsSync(path)) throw new Problem("no-such-directory", `There is nothing at ${path}.`, "Check the path.");
  const root = { path, place: "named", optional: false } as const;
  const { skills, diagnostics } = createSkills({ disk, files: createFiles(disk, Date.now) }).look([root]);
  const strict = diagnostics.map(bySpecification);
  const errors = strict.filter(({ severity }) => severity === "error").length;
  const warnings = strict.length - errors;
  if (json) process.stdout.write(`${JSON.stringify({ skills, diagnostics: strict, errors, warnings })}\n`);
  else {
    const paint = colours(process.stdout);
    const sum = `${counted(skills.length, "skill")}, ${counted(errors, "error")}, ${counted(warnings, "warning")}`;
    const lines = [...diagnosticLines(strict, process.stdout), errors > 0 ? paint.red(sum) : paint.green(sum)];
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  return errors > 0 ? 1 : 0;
}

function bySpecification(one: Diagnostic): Diagnostic {
  return one.spec ? { ...one, severity: "error" } : one;
}
