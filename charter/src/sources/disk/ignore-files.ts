import type { default as createIgnore, Ignore } from "ignore";
import { grouped, reasonOf } from "../../prompt/problem.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { FileState } from "./file.ts";
import { pathLine } from "./path-line.ts";

/** The files that say what is to be passed over; of two in one directory the later has the last word. */
export const ignoreNames: readonly string[] = [".gitignore", ".ignore", ".fdignore"];
export const maxIgnoreBytes = 65_536;
const maxRules = 2000;
/** Each of them in a rule multiplies the ways it may fit a path, and all are tried where none does. */
const maxWildcards = 3;

/** The rules of one directory. `prefix`: the directory, relative to where the search began, with a slash after it. */
export type IgnoreFileRules = {
  readonly matcher: Ignore;
  readonly prefix: string;
  readonly above: IgnoreFileRules | undefined;
};
export type IgnoreFile = { readonly path: string; readonly state: FileState };

let library: typeof createIgnore | undefined;

/** The rules inside a directory: those of its own files, then those above. The library is loaded when there is a file. */
export function ignoreFileRules(
  own: readonly IgnoreFile[],
  prefix: string,
  above: IgnoreFileRules | undefined,
  report: (diagnostic: Diagnostic) => void,
): IgnoreFileRules | undefined {
  const { createRequire } = process.getBuiltinModule("node:module");
  let matcher: Ignore | undefined;
  for (const { path, state } of own) {
    for (const diagnostic of state.diagnostics) report(diagnostic);
    if (state.status !== "present") continue;
    library ??= createRequire(import.meta.url)("ignore") as typeof createIgnore;
    matcher ??= library({ ignoreCase: false });
    const all = state.text.split("\n");
    if (state.more > 0) all.pop();
    if (state.more > 0 || all.length > maxRules) report(tooLong(path));
    for (const pattern of all.slice(0, maxRules)) {
      try {
        if (!pattern.startsWith("#") && pattern.split("**").length > maxWildcards + 1)
          throw new Error(`“**” is in it more than ${maxWildcards} times`);
        // Alone at first: a rule is compiled when something is tested, and one that cannot be must not stop the others.
        const rule = library({ ignoreCase: false }).add({ pattern, mark: path });
        rule.test("any");
        matcher.add(rule);
      } catch (error) {
        report(notUnderstood(path, pattern, reasonOf(error)));
      }
    }
  }
  return matcher ? { matcher, prefix, above } : above;
}

/**
 * Which file says that a path is to be passed over, if one does. The path is relative to where the search began; a
 * directory's ends in a slash. As in git, the deepest file with something to say about it decides, and nothing inside a
 * directory that is passed over is ever asked about.
 */
export function ignoredBy(rules: IgnoreFileRules | undefined, path: string): string | undefined {
  for (let level = rules; level; level = level.above) {
    const { ignored, unignored, rule } = level.matcher.test(path.slice(level.prefix.length));
    if (ignored) return rule?.mark;
    if (!unignored) continue;
    if (path.endsWith("/")) reopen(level.above, path);
    return undefined;
  }
  return undefined;
}

/** A matcher takes what is inside a directory it passes over for passed over too; this brings one back, ending in a slash. */
export function reopen(rules: IgnoreFileRules | undefined, path: string): void {
  for (let level = rules; level; level = level.above) {
    const relative = path.slice(level.prefix.length);
    if (relative !== "" && level.matcher.test(relative).ignored)
      level.matcher.add({ pattern: `!/${relative.replace(/[\\*?[\]]/g, "\\$&")}` });
  }
}

function notUnderstood(path: string, pattern: string, reason: string): Diagnostic {
  const message = `${pathLine(path)}: the rule ${JSON.stringify(pattern)} is not understood (${reason}). Take it out.`;
  return { severity: "warning", code: "ignore-file-invalid", path, message };
}

function tooLong(path: string): Diagnostic {
  const message = `${pathLine(path)} is long: only its first ${grouped(maxRules)} lines within ${grouped(maxIgnoreBytes)} bytes are used. Shorten it.`;
  return { severity: "warning", code: "ignore-file-too-long", path, message };
}
