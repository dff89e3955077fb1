import type { TrustInput } from "../../operations/here/project.ts";
import { colours, columns, oneLine, timeText } from "../../operations/print/columns.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import {
  distrustProject,
  projectTrust,
  trustedFiles,
  trustedProjects,
  trustProject,
} from "../../sources/trust/trust.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { placesOf, trustCommand } from "../shared/directory.ts";
import { charterFilesIn } from "../shared/trust/trusted-database.ts";

/** A project is trusted once, by a person who has looked at it. */
export async function run({ input, json }: ParsedCommand): Promise<number> {
  const values = input as TrustInput;
  if (values.list && values.remove) throw new Problem("usage", "Both --list and --remove were given.", "Give one.");
  const places = placesOf(values);
  const say = (answer: unknown, lines: readonly string[]) =>
    process.stdout.write(json ? `${JSON.stringify(answer)}\n` : `${lines.join("\n")}\n`);
  if (values.list) {
    const projects = trustedProjects(places.home);
    say({ projects }, listed(projects));
    return 0;
  }
  if (values.remove) {
    const { root } = projectTrust(places);
    const removed = distrustProject(places);
    say({ root, removed }, [`${oneLine(root)} ${removed ? "is not trusted any more" : "was not trusted"}.`]);
    return removed ? 0 : 1;
  }
  const charters = await charterFilesIn(places.cwd);
  const named = charters ?? [];
  const before = projectTrust(places);
  const each = [...trustedFiles(named, places), ...before.settings];
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

function listed(projects: ReturnType<typeof trustedProjects>): string[] {
  if (projects.length === 0) return ["No project is trusted. Trust the one you are in: charter trust"];
  const cells = projects.map(({ root, at, extensions, charters }) => {
    const own = charters === 0 ? "" : `, ${counted(charters, "charter or settings file")}`;
    return [root, timeText(at), `${counted(extensions, "extension file")}${own}`];
  });
  return columns(["project", "since (UTC)", "with"], cells, process.stdout);
}
