/** A named piece of a prompt, in the seed's own order; `separator` stands before it when it is not the first. */
export type Section = {
  readonly name: string;
  readonly separator: string;
  /** "" where it has none. */
  readonly heading: string;
  readonly text: string;
  /** "stable" words change seldom or never, "state" is new every turn. */
  readonly stability: "stable" | "state";
  /** What its text is made of, with a blank line between. */
  readonly parts?: readonly { readonly name: string; readonly text: string }[];
  /** Stored words that change by an amendment, not gathered ones. */
  readonly standing?: true;
  /** The same words when one knows which counterparts are active in this turn. */
  readonly active?: string;
  /** The same words with the day instead of the minute. */
  readonly byDay?: string;
};

export function sectionWords({ heading, text }: Pick<Section, "heading" | "text">): string {
  return heading === "" ? text : `${heading}\n${text}`;
}

export function joinSections(sections: readonly Section[]): string {
  let text = "";
  for (const [index, section] of sections.entries())
    text += (index > 0 ? section.separator : "") + sectionWords(section);
  return text;
}
