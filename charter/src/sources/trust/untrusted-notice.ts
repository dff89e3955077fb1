import type { Notice } from "../../prompt/notice.ts";
import { grouped } from "../../prompt/problem.ts";
import type { ConsideredFile } from "../disk/considered-file.ts";
import { pathLine } from "../disk/path-line.ts";
import { unusedReasons } from "../disk/unused-reason.ts";

/** What the operator is told where a project brings more than anyone has trusted: once, and all of it. */
export function untrustedNotice(
  considered: readonly ConsideredFile[],
  extensions: boolean,
  config = ".charter",
): Notice | undefined {
  const withheld = considered.filter((one) => one.reason === unusedReasons.untrusted);
  if (withheld.length === 0 && !extensions) return undefined;
  const files = withheld.filter(({ role }) => role !== "skill").map(({ path }) => pathLine(path));
  const skills = withheld.length - files.length;
  const skillsOfIt = skills === 0 ? [] : [skills === 1 ? "1 skill" : `${grouped(skills)} skills`];
  const what = [...files, ...skillsOfIt, ...(extensions ? ["its extensions"] : [])];
  // What is trusted is remembered for each name of the configuration directory.
  const command = config === ".charter" ? "charter trust" : `charter trust --config ${pathLine(config)}`;
  return {
    code: "untrusted",
    message: `The project is not trusted, so the prompt was built without ${listOf(what)}. Look at what it brings, then run “${command}”.`,
  };
}

function listOf(what: readonly string[]): string {
  return what.length < 2 ? what.join("") : `${what.slice(0, -1).join(", ")} and ${what.at(-1)}`;
}
