/** The text of an answer as it comes in: pieces, whole messages, and tools used in between. */
type AnswerText = {
  /** Takes a piece and returns what it adds to the draft. */
  readonly add: (message: string | null, text: string) => string;
  /** Takes a message as it stands now; what it adds to the draft is returned. */
  readonly put: (message: string, text: string) => string;
  /** A tool was used: what comes next is another paragraph. */
  readonly pause: () => void;
  readonly text: () => string;
  /** How many characters it has by now. */
  readonly length: () => number;
};

/** Two messages, or two pieces with a tool between them, are two paragraphs. */
export function createAnswerText(): AnswerText {
  const pieces: { message: string | null; text: string }[] = [];
  let paused = false;
  let length = 0;
  const last = () => pieces.at(-1);
  const start = (message: string | null, text: string): string => {
    const gap = gapBefore(last()?.text, text);
    pieces.push({ message, text: gap + text });
    length += gap.length + text.length;
    paused = false;
    return gap + text;
  };
  return {
    add: (message, text) => {
      const piece = last();
      if (piece === undefined || paused || piece.message !== message) return start(message, text);
      piece.text += text;
      length += text.length;
      return text;
    },
    put: (message, text) => {
      const index = pieces.findIndex((piece) => piece.message === message);
      const piece = pieces[index];
      if (piece === undefined) return text === "" ? "" : start(message, text);
      const before = piece.text;
      piece.text = gapBefore(pieces[index - 1]?.text, text) + text;
      length += piece.text.length - before.length;
      // What a message was before is a draft; where it only grew, the draft grows with it.
      return index === pieces.length - 1 && piece.text.startsWith(before) ? piece.text.slice(before.length) : "";
    },
    pause: () => {
      paused = true;
    },
    text: () => pieces.map(({ text }) => text).join(""),
    length: () => length,
  };
}

function gapBefore(previous: string | undefined, next: string): string {
  if (previous === undefined || previous === "" || next === "") return "";
  return /\s$/.test(previous) || /^\s/.test(next) ? "" : "\n\n";
}
