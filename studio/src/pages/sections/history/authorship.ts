import { type AuthoredSpan, blame } from "charter";

export type Step = { readonly revision: number; readonly before: string | null; readonly after: string | null };

/** Who wrote what, and whether the revision it begins with wrote its words itself or only handed them on. */
export type Authorship = {
  readonly text: string;
  readonly authored: readonly AuthoredSpan[];
  /** Words of this revision may be older: before it nothing is known. 0 is the original, which is not older than itself. */
  readonly from: number;
};

/** Whose words they are, out of the history, newest first, as far as it is known: it may be cut, and words erased. */
export function authorshipOf(text: string, newestFirst: readonly Step[]): Authorship {
  const erased = newestFirst.findIndex(({ after }) => after === null);
  const known = (erased === -1 ? newestFirst : newestFirst.slice(0, erased)).toReversed();
  const [first, ...rest] = known as readonly { revision: number; before: string | null; after: string }[];
  if (!first)
    return { text, authored: whole(text, newestFirst[0]?.revision ?? 0), from: newestFirst[0]?.revision ?? 0 };
  const ground =
    first.before === null
      ? { text: first.after, revision: first.revision }
      : { text: first.before, revision: first.revision - 1 };
  const authored = blame(ground, first.before === null ? rest : [first, ...rest]);
  // What stands may be an earlier revision's words, where the newest were found damaged.
  const same = (known.at(-1)?.after ?? "") === text;
  return same
    ? { text, authored, from: ground.revision }
    : { text, authored: whole(text, newestFirst[0]?.revision ?? 0), from: newestFirst[0]?.revision ?? 0 };
}

function whole({ length }: string, revision: number): AuthoredSpan[] {
  return length === 0 ? [] : [{ start: 0, end: length, revision }];
}

export type AuthoredPiece = { readonly text: string; readonly revision: number };
export type AuthoredLine = {
  readonly pieces: readonly AuthoredPiece[];
  /** The newest revision with a word in the line: it stands in the margin. */
  readonly newest: number;
};

/** The words line by line, each line as stretches of one revision's. */
export function authoredLines({ text, authored }: Authorship): readonly AuthoredLine[] {
  const lines: AuthoredLine[] = [];
  let index = 0;
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    const pieces: AuthoredPiece[] = [];
    while ((authored[index]?.end ?? Number.POSITIVE_INFINITY) <= start) index++;
    for (let at = index; at < authored.length && (authored[at]?.start ?? 0) < end; at++) {
      const one = authored[at] as AuthoredSpan;
      const words = text.slice(Math.max(start, one.start), Math.min(end, one.end));
      if (words !== "") pieces.push({ text: words, revision: one.revision });
    }
    const empty = authored[index]?.revision ?? lines.at(-1)?.newest ?? 0;
    lines.push({ pieces, newest: pieces.length === 0 ? empty : Math.max(...pieces.map(({ revision }) => revision)) });
    start = end + 1;
  }
  return lines;
}
