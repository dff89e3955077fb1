import { anyLineEnd } from "../prompt/character.ts";

/** Lines that a message may tell a change of: a part's, by name, or all of a section. */
export type StandingPart = { readonly name: string | null; readonly lines: readonly string[] };

const json = '"(?:[^"\\\\]|\\\\.)*"';
const opening = /^(?:\[system [0-9a-f]{8}\] )?Your prompt has changed in “.+”:\n/;
const replaced = new RegExp(
  `^(?:Of (?<part>${json}), )?[Ll]ines? (?<first>\\d+)(?:–(?<last>\\d+))? \\((?<was>${json})(?: … (?<until>${json}))?\\) (?:now reads?:|(?:is|are) gone\\.)$`,
);
const inserted = new RegExp(
  `^(?:Of (?<part>${json}), )?(?<place>[Bb]efore|[Aa]fter) line (?<first>\\d+) \\((?<was>${json})\\) comes?:$`,
);
const whole = new RegExp(
  `^(?<part>${json}) (?:(?<gone>is gone\\.)|now reads:|(?<fresh>is new), (?:before the others|after (?<after>${json})):)$`,
);

const barred = new RegExp(`(${anyLineEnd.source})\\| `, "g");

type Edit = { readonly part: string | null; readonly from: number; readonly count: number; readonly lines: string[] };

/**
 * Reads a message that tells of changed lines and parts, and makes the changes: the parts as they are from then on.
 * Undefined where it is no such message, or the lines it names are not these.
 */
export function withChange(message: string, before: readonly StandingPart[]): readonly StandingPart[] | undefined {
  const start = opening.exec(message)?.[0].length;
  if (start === undefined) return undefined;
  const parts = before.map(({ name, lines }) => ({ name, lines: [...lines] }));
  const edits: Edit[] = [];
  const rows = message.slice(start).split("\n");
  for (let row = 0; row < rows.length; ) {
    const says = rows[row++] as string;
    let end = row;
    while (rows[end]?.startsWith("| ")) end++;
    const lines = end === row ? [] : toldLines(rows.slice(row, end).join("\n"));
    row = end;
    const { groups: edit } = replaced.exec(says) ?? inserted.exec(says) ?? {};
    const { groups: change } = whole.exec(says) ?? {};
    if (edit) {
      const part = edit.part === undefined ? null : nameOf(edit.part);
      const at = parts.findIndex(({ name }) => name === part);
      const found = parts[at];
      if (!found) return undefined;
      const lead =
        part === null
          ? 0
          : Math.max(
              0,
              found.lines.findIndex((line) => line !== ""),
            );
      const first = Number(edit.first) - 1 + lead;
      const last = edit.last === undefined ? first : Number(edit.last) - 1 + lead;
      const isThat = (line: number, text: string | undefined) =>
        text === undefined || isBeginning(found.lines[line], text);
      if (!isThat(first, edit.was) || !isThat(last, edit.until)) return undefined;
      const from = edit.place?.toLowerCase() === "after" ? first + 1 : first;
      edits.push({ part, from, count: edit.place === undefined ? last - first + 1 : 0, lines });
    } else if (change?.part !== undefined) {
      const name = nameOf(change.part);
      const at = parts.findIndex((one) => one.name === name);
      if (change.fresh !== undefined) {
        const behind = change.after === undefined ? null : nameOf(change.after);
        const place = parts.findIndex((one) => (behind === null ? one.name !== null : one.name === behind));
        parts.splice(behind === null ? (place === -1 ? parts.length : place) : place + 1, 0, { name, lines });
      } else if (at === -1) return undefined;
      else parts.splice(at, 1, ...(change.gone === undefined ? [{ name, lines }] : []));
    } else return undefined;
  }
  for (const { part, from, count, lines } of edits.toReversed())
    parts.find(({ name }) => name === part)?.lines.splice(from, count, ...lines);
  return parts;
}

function toldLines(block: string): string[] {
  return block.slice("| ".length).replaceAll(barred, "$1").split("\n");
}

function nameOf(label: string): string {
  return JSON.parse(label) as string;
}

/** Is it what the line begins with, white space aside? */
function isBeginning(line: string | undefined, excerpt: string): boolean {
  const words = (JSON.parse(excerpt) as string).replace(/…$/, "").trimEnd();
  return (
    line
      ?.replaceAll(/[\s\u0085]+/gu, " ")
      .trim()
      .startsWith(words) ?? false
  );
}
