/**
 * Where a place in a section's shown words stands in its standing words: the shown ones may have a backslash before what
 * looked like a heading, and may end early. Nothing where the words are made of the standing ones in another way.
 */
export function standingPlace(shown: string, at: number, standing: string): number | undefined {
  let place = 0;
  for (let index = 0; index < at; index++) {
    if (shown[index] === standing[place]) place++;
    else if (shown[index] !== "\\") return undefined;
  }
  return place < standing.length && shown[at] === standing[place] ? place : undefined;
}

/** The same where a part of the standing words is shown, which stands in them once: a paragraph. */
export function placeInPart(shown: string, at: number, standing: string): number | undefined {
  const start = standing.indexOf(shown);
  return shown !== "" && start !== -1 && standing.indexOf(shown, start + 1) === -1 ? start + at : undefined;
}

/** The same by looking for the word, where it stands in them once. */
export function placeOfWord(word: string, standing: string): number | undefined {
  const first = standing.indexOf(word);
  return word !== "" && first !== -1 && standing.indexOf(word, first + 1) === -1 ? first : undefined;
}
