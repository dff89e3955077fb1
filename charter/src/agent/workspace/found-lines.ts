import { cutLine } from "./output.ts";
import type { SearchedFile } from "./search-files.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

/** `path:line: text` for a match, `path-line- text` for what stands around it, `--` where lines are left out between. */
export function foundLines(
  { shown, text }: SearchedFile,
  found: readonly number[],
  context: number,
  limits: WorkspaceLimits,
): string[] {
  if (found.length === 0) return [];
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const matching = new Set(found);
  const out: string[] = [];
  let next = 0;
  for (const match of found) {
    const from = Math.max(next, match - context);
    const to = Math.min(lines.length - 1, match + context);
    if (context > 0 && from > next && next > 0) out.push("--");
    for (let at = from; at <= to; at++) {
      const [before, after] = matching.has(at) ? [":", ":"] : ["-", "-"];
      out.push(`${shown}${before}${at + 1}${after} ${cutLine(lines[at] ?? "", limits)}`);
    }
    next = Math.max(next, to + 1);
  }
  return out;
}
