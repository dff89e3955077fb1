import type { DirectoryValues } from "../../operations/field.ts";
import type { FilesInput, TrustInput } from "../../operations/here/project.ts";
import { colours, columns, diagnosticLines, oneLine, timeText } from "../../operations/print/columns.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import { disk } from "../../sources/disk/disk.ts";
import { createFiles, unusedReasons, unusedReasons as why } from "../../sources/disk/file.ts";
import type { ConsideredFile, Diagnostic } from "../../sources/disk/findings.ts";
import type { Skill } from "../../sources/skills/skill.ts";
import { createSkills } from "../../sources/skills/skills.ts";
import {
  distrustProject,
  projectTrust,
  trustedFiles,
  trustedProjects,
  trustProject,
} from "../../sources/trust/trust.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { placesOf, trustCommand, trustHint, workbenchOf } from "../shared/directory.ts";
import { tokenizerFor } from "../shared/prompt-options.ts";
import { charterFilesIn } from "../shared/trust/trusted-database.ts";

const actions: Readonly<Record<string, (parsed: ParsedCommand) => Promise<number>>> = {
  "files.list": files,
  "skills.list": skills,
  "skills.check": skills,
  "trust.set": trust,
};

/** Runs the commands about a coding agent's directory, and about trust in its project. */
export function run(parsed: ParsedCommand): Promise<number> {
  return (actions[parsed.operation.name] as typeof files)(parsed);
}

/** Lists every file a coding agent's prompt could use here: whether it is used, why, and its tokens. */
async function files({ input, json }: ParsedCommand): Promise<number> {
  const values = input as FilesInput;
  const places = placesOf(values);
  const workbench = workbenchOf(values);
  await workbench.lines();
  const { diagnostics } = workbench.project.look();
  const tokenizer = await tokenizerFor(values.tokenizer, { exactly: false });
  const files = workbench.considered().map((file) => weighed(file, tokenizer));
  const faults = workbench.faults();
  workbench.close();
  if (json) {
    const { trust } = projectTrust(places);
    process.stdout.write(`${JSON.stringify({ ...places, trust, files, diagnostics, extensions: faults })}\n`);
    return 0;
  }
  const paint = colours(process.stdout);
  const listed = files.filter(({ used, reason }) => used || reason !== why.absent);
  const absentOnes = files.length - listed.length;
  const cells = listed.map(({ used, role, tokens, path, reason }) => [
    used ? "✓" : "–",
    role,
    tokens === undefined ? "" : String(tokens),
    reason === undefined ? path : `${path}  (${reason})`,
  ]);
  const withheld = files.some(({ reason }) => reason === why.untrusted);
  const hint = withheld ? trustHint(values, places) : undefined;
  const total = files.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
  const lines = [
    ...(cells.length > 0
      ? columns(["", "what", "tokens", "file"], cells, process.stdout)
      : ["No files are used here."]),
    paint.dim(
      `${counted(total, "token")} (${tokenizer.exact ? "exact" : "estimated"}) from files. Also checked, and not there: ${counted(absentOnes, "place")}; --json lists them.`,
    ),
    ...(hint === undefined ? [] : [paint.yellow(oneLine(hint))]),
    ...diagnosticLines(diagnostics, process.stdout),
    ...faults.map(({ code, message }) => `${paint.yellow(code)}: ${oneLine(message)}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}

function weighed({ text, ...file }: ConsideredFile, tokenizer: Tokenizer) {
  return text === undefined ? { ...file, tokens: undefined } : { ...file, tokens: tokenizer.count(text) };
}

const { existsSync } = process.getBuiltinModule("node:fs");
const { resolve } = process.getBuiltinModule("node:path");

async function skills({ operation, input, json }: ParsedCommand): Promise<number> {
  if (operation.name === "skills.check") return check(resolve(String(input.path)), json);
  const values: DirectoryValues = input;
  const workbench = workbenchOf(values);
  await workbench.lines();
  const { skills, diagnostics, considered } = workbench.project.look();
  workbench.close();
  const others = new Set(considered.flatMap(({ role, path }) => (role === "skill" ? [] : [path])));
  const ownDiagnostics = diagnostics.filter((one) => !others.has(one.path));
  if (json) process.stdout.write(`${JSON.stringify({ skills, diagnostics: ownDiagnostics })}\n`);
  else {
    const withheld = considered.filter((one) => one.role === "skill" && one.reason === unusedReasons.untrusted).length;
    const lines = [
      ...skillLines(skills, withheld),
      ...withheldLines(withheld, values),
      ...diagnosticLines(ownDiagnostics, process.stdout),
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

function skillLines(skills: readonly Skill[], withheld: number): string[] {
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

/**
 * Checks skills against the letter of the specification: what it demands is an error here, even if a prompt would list the skill.
 */
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

/** Shows or changes the trust in a project, which a person gives once, after reading it. */
async function trust({ input, json }: ParsedCommand): Promise<number> {
  const values = input as TrustInput;
  if (values.list && values.remove) throw new Problem("usage", "Both --list and --remove were given.", "Give one.");
  const places = placesOf(values);
  const say = (answer: unknown, lines: readonly string[]) =>
    process.stdout.write(json ? `${JSON.stringify(answer)}\n` : `${lines.join("\n")}\n`);
  if (values.list) {
    const projects = trustedProjects(places.home);
    say({ projects }, projectLines(projects));
    return 0;
  }
  if (values.remove) {
    const { root } = projectTrust(places);
    const removed = distrustProject(places);
    say({ root, removed }, [`${oneLine(root)} ${removed ? "is not trusted any more" : "was not trusted"}.`]);
    return removed ? 0 : 1;
  }
  const charters = await charterFilesIn(places.cwd);
  const charterFiles = charters ?? [];
  const before = projectTrust(places);
  const each = [...trustedFiles(charterFiles, places), ...before.settings];
  const moved = new Set(each.flatMap((one) => one.changed));
  const known = before.trust === "trusted" && each.every(({ trust }) => trust === "trusted");
  const state = trustProject({ ...places, ...(charters ? { charters } : {}) }, new Date().toISOString());
  const paint = colours(process.stdout);
  const root = oneLine(state.root);
  const changed = [...before.changed, ...moved];
  say({ ...state, changed, before: before.trust }, [
    known ? `${root} is trusted already.` : `${paint.green("Trusted")}: ${root}`,
    ...(state.gated.length === 0
      ? [
          paint.dim(
            "It brings nothing yet that needs trust; what it brings later is used, code and settings only after you look again.",
          ),
        ]
      : state.gated.map((path) => `  ${oneLine(path)}`)),
    ...(changed.length > 0 ? [`Changed since it was last trusted: ${changed.map(oneLine).join(", ")}.`] : []),
    paint.dim(`Take it back with: ${trustCommand(values, "--remove")}`),
  ]);
  return 0;
}

function projectLines(projects: ReturnType<typeof trustedProjects>): string[] {
  if (projects.length === 0) return ["No project is trusted. Trust the one you are in: charter trust"];
  const cells = projects.map(({ root, at, extensions, charters }) => {
    const own = charters === 0 ? "" : `, ${counted(charters, "charter or settings file")}`;
    return [root, timeText(at), `${counted(extensions, "extension file")}${own}`];
  });
  return columns(["project", "since (UTC)", "with"], cells, process.stdout);
}
