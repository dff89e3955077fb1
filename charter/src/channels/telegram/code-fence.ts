/** A code fence that is open: the line that opens it again, and the shortest one that closes it. */
export type CodeFence = { readonly opener: string; readonly closer: string };

/** In front of a fence there may be white space (a list's, say) and the marks of a quotation. */
const fenceLine = /^((?:[ \t]*>)*[ \t]*)(`{3,}|~{3,})([^\n]*)$/;

/**
 * The fence that is open after a line. `most`: one whose mark is longer than this is taken for words, since closing it and
 * opening it again would leave no room for any; and the words behind a mark are left out where it is opened again, when
 * they are longer.
 */
export function fenceAfter(line: string, open: CodeFence | undefined, max: number): CodeFence | undefined {
  const [, indent = "", mark = "", rest = ""] = fenceLine.exec(line) ?? [];
  if (mark === "" || indent.length + mark.length > max) return open;
  if (!open) {
    // What stands between marks on one line is no block.
    if (mark.startsWith("`") && rest.includes("`")) return undefined;
    return { opener: line.length <= max ? line.trimEnd() : indent + mark, closer: indent + mark };
  }
  const before = open.closer.trimStart().replace(/^[>\s]+/, "");
  return mark.startsWith(before) && rest.trim() === "" ? undefined : open;
}

/** The longest fence in a message of so many units: with one at either end, most of it is still for words. */
export function fenceUnits(max: number): number {
  return Math.floor(max / 8);
}
