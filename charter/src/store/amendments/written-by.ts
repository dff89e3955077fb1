import type { Scope } from "../../amend/amendment.ts";
import { type Charter, findSection } from "../../prompt/charter.ts";
import type { Occurrence, Span } from "../../prompt/prompt.ts";
import { sectionScope } from "../scope.ts";
import type { AmendmentHistory, RecordedAmendment } from "./amendments.ts";

/** The hand that brought words in; the original brings them too, and then there is no amendment to name. */
export type Author =
  | Pick<RecordedAmendment, "revision" | "operation" | "actor" | "turn" | "at" | "reason">
  | "original";

/** Of each span of an occurrence, who wrote it; nothing where nobody asked. */
export type Authors = readonly (Author | undefined)[];

/** Whose copy of a section a prompt of the scope has, by what its charter says. */
export function copiesIn(charter: Charter, { agent = "", user }: Partial<Scope>): (section: string) => Scope {
  const scope = { agent, ...(user === undefined ? {} : { user }) };
  return (section) => sectionScope(findSection(charter, section).section, scope);
}

/** So far back a history is walked; older words are said to be of the last revision that was looked at. */
const furthest = 1000;

/** Who wrote the words of each span that was amended: not the last hand on the section, the one that wrote these. */
export async function authorsIn(
  history: AmendmentHistory,
  copyOf: (section: string) => Scope,
  text: string,
  found: readonly Occurrence[],
): Promise<ReadonlyMap<Occurrence, Authors>> {
  if (!found.some(({ spans }) => spans.some(isAmended))) return new Map();
  const known = new Map<string, Promise<Author | undefined>>();
  const authorOf = (span: Span, words: string) => {
    const { section } = span;
    const key = JSON.stringify([section, words]);
    const author = known.get(key) ?? walkBack(history, copyOf(section), section, span, words);
    known.set(key, author);
    return author;
  };
  const authors = new Map<Occurrence, (Author | undefined)[]>();
  for (const one of found) {
    const words = (span: Span) => text.slice(Math.max(one.start, span.start), Math.min(one.end, span.end));
    const each = one.spans.map((span) => (isAmended(span) ? authorOf(span, words(span)) : undefined));
    authors.set(one, await Promise.all(each));
  }
  return authors;
}

function isAmended({ revision }: Span): boolean {
  return revision !== null && revision > 0;
}

/** From the revision that stands back to the one before which the words were not there. */
async function walkBack(
  history: AmendmentHistory,
  scope: Scope,
  section: string,
  { revision: stands }: Span,
  words: string,
): Promise<Author | undefined> {
  let last: RecordedAmendment | undefined;
  for (let before = (stands ?? 0) + 1, seen = 0; before > 1 && seen < furthest; ) {
    const page = await history.listWhole(scope, section, { limit: 50, before });
    for (const one of page) {
      // Words that a section shows otherwise than they are kept cannot be followed further back.
      if (last !== undefined && !one.after?.includes(words)) return authorFrom(last);
      last = one;
      if (!one.before?.includes(words)) return authorFrom(one);
    }
    seen += page.length;
    before = page.at(-1)?.revision ?? 1;
  }
  return last && (last.revision === 1 ? "original" : authorFrom(last));
}

function authorFrom({ revision, operation, actor, turn, at, reason }: RecordedAmendment): Author {
  return { revision, operation, actor, turn, at, reason };
}
