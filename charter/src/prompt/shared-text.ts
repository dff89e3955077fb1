import {
  allSections,
  type Charter,
  sectionMutability,
  sectionScope,
  sectionStability,
  sectionTrust,
} from "./charter.ts";
import { listed } from "./problem.ts";
import { amendableFromInside } from "./section.ts";

/** Lists the sections of one text for all users that agent or user may change in a user's turn, by whether that waits. */
export function sharedSections(charter: Charter): { readonly waiting: string[]; readonly open: string[] } {
  const names = (approvedBy: unknown) =>
    allSections(charter).flatMap(({ section, layer }) => {
      const mutability = sectionMutability(section, layer);
      const isShared = amendableFromInside(mutability) && sectionScope(section, layer) === "agent";
      return isShared && (mutability as { readonly approvedBy?: unknown }).approvedBy === approvedBy
        ? [section.name]
        : [];
    });
  return { waiting: names(undefined), open: names("nobody") };
}

/** Says what one user's turn may change for all others, unless the charter has the operator approve it. */
export function sharedSentences(charter: Charter): string[] {
  const { waiting } = sharedSections(charter);
  const open = openSentence(charter);
  return [...(waiting.length > 0 ? [sharedSentence(waiting, true)] : []), ...(open === undefined ? [] : [open])];
}

/** Says which texts of all users an agent or a user may change at once; undefined where there are none. */
export function openSentence(charter: Charter): string | undefined {
  const { open } = sharedSections(charter);
  return open.length > 0 ? sharedSentence(open, false) : undefined;
}

const everybodys = new WeakMap<Charter, ReadonlySet<string>>();

/** Lists the sections of the prefix that are one text for all users by their declaration. */
export function everybodysSections(charter: Charter): ReadonlySet<string> {
  const known =
    everybodys.get(charter) ??
    new Set(
      allSections(charter).flatMap(({ section, layer }) =>
        sectionStability(section) === "stable" &&
        sectionTrust(section, layer) !== "foreign" &&
        sectionScope(section, layer) !== "user"
          ? [section.name]
          : [],
      ),
    );
  everybodys.set(charter, known);
  return known;
}

export function sharedSentence(names: readonly string[], waits: boolean): string {
  const fate = waits ? "waits for the operator" : "is in the next prompt of all others at once";
  return `All users are sent the same ${listed(names)}: what a user's turn changes there ${fate}.`;
}

/** How many bytes two texts begin with alike, in UTF-8. */
export function commonBytes(words: string, others: string): number {
  let at = 0;
  while (at < words.length && words.codePointAt(at) === others.codePointAt(at)) at++;
  return new TextEncoder().encode(words.slice(0, at)).length;
}
