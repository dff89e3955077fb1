/** How far below its first row a text's last one is, on a terminal of so many columns; it begins at the left edge. */
export function rowsBelow(text: string, columns: number): number {
  let row = 0;
  let column = 0;
  for (const character of text) {
    if (character === "\n") {
      row++;
      column = 0;
      continue;
    }
    const width = widthOf(character);
    // A full row only wraps when something more comes.
    if (column + width > columns) {
      row++;
      column = 0;
    }
    column += width;
  }
  return row;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const none = /[\p{Mn}\p{Me}]|[\u200b-\u200f]/u;

function widthOf(character: string): number {
  if (character < "\u0300") return 1;
  return none.test(character) ? 0 : wide.test(character) ? 2 : 1;
}
