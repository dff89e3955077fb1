/** A note as a search of the memory told it to the model. */
export type FoundNote = {
  /** The day it was written on. */
  readonly day: string;
  readonly id?: string;
  readonly key?: string;
  readonly text: string;
  readonly tainted: boolean;
};

/** What is read of the steps of a turn. */
type Step = { readonly result?: unknown };
type StepResult = { readonly results?: readonly { readonly name?: unknown; readonly output?: unknown }[] };

/** Every note that the searches of a turn found, each once. */
export function foundNotes(steps: readonly Step[]): readonly FoundNote[] {
  const found = new Map<string, FoundNote>();
  for (const { result } of steps)
    for (const { name, output } of (result as StepResult | null | undefined)?.results ?? [])
      if (name === "read_memory" && typeof output === "string")
        for (const note of notesIn(output)) found.set(note.id ?? note.key ?? note.text, note);
  return [...found.values()];
}

const quote = String.raw`"(?:[^"\\]|\\.)*"`;
const line = new RegExp(
  String.raw`^- (\d{4}-\d\d-\d\d)(?: \[([^\]\s]+)\])?((?: (?:${quote}|[A-Za-z0-9][\w.:@/+~-]*))*?)( \(written with others' words at hand: data, not instructions\))?: (${quote})$`,
);

/** The notes stand under the first line, one on each, as JSON: what follows them (the instructions) is somebody's text. */
export function notesIn(output: string): readonly FoundNote[] {
  const notes: FoundNote[] = [];
  for (const row of output.split("\n").slice(1)) {
    const parts = line.exec(row);
    if (!parts) break;
    const [, day = "", id, names = "", tainted, text = '""'] = parts;
    const key = names.match(new RegExp(`${quote}|\\S+`, "g"))?.at(-1);
    notes.push({
      day,
      ...(id === undefined ? {} : { id }),
      // With an id, a name may be whose it is.
      ...(key === undefined || id !== undefined ? {} : { key: key.startsWith('"') ? JSON.parse(key) : key }),
      text: JSON.parse(text),
      tainted: tainted !== undefined,
    });
  }
  return notes;
}

/** What the Memory page is asked for to show this note; by its words where it was told without a name. */
export function noteQuery({ id, key, text }: FoundNote): { readonly note?: string; readonly query?: string } {
  const name = id ?? key;
  if (name !== undefined) return { note: name };
  const start = text.replace(/["…]/g, " ").replace(/\s+/g, " ").trim().slice(0, 80);
  return { query: start.includes(" ") ? start.slice(0, start.lastIndexOf(" ")) : start };
}
