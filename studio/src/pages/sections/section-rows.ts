import type { SectionAnswer } from "charter/answers";

/** A line of the list: a layer's name, or one of its sections. */
export type ListRow =
  | { readonly kind: "layer"; readonly name: string; readonly sections: number }
  | { readonly kind: "section"; readonly section: SectionAnswer };

/** The sections in the charter's order under their layers; of those only what holds the words looked for, anywhere in it. */
export function listRows(sections: readonly SectionAnswer[], lookedFor: string): readonly ListRow[] {
  const wanted = lookedFor.trim().toLowerCase();
  const rows: ListRow[] = [];
  let layer: { kind: "layer"; name: string; sections: number } | undefined;
  for (const section of sections) {
    if (!holds(section, wanted)) continue;
    if (layer?.name !== section.layer) {
      layer = { kind: "layer", name: section.layer, sections: 0 };
      rows.push(layer);
    }
    layer.sections++;
    rows.push({ kind: "section", section });
  }
  return rows;
}

function holds(section: SectionAnswer, wanted: string): boolean {
  if (wanted === "") return true;
  const { name, layer, heading, mutability, text } = section;
  return [name, layer, heading, mutability, text].some((words) => words?.toLowerCase().includes(wanted));
}

/** The next row that is a section, in the direction of a key; where there is none, the one it was at. */
export function nextSection(rows: readonly ListRow[], at: number, key: string): number | undefined {
  const steps: Readonly<Record<string, readonly [from: number, by: 1 | -1]>> = {
    ArrowDown: [at + 1, 1],
    ArrowUp: [at - 1, -1],
    Home: [0, 1],
    End: [rows.length - 1, -1],
  };
  const step = steps[key];
  if (!step) return undefined;
  for (let [index, by] = step; index >= 0 && index < rows.length; index += by)
    if (rows[index]?.kind === "section") return index;
  return at;
}

/** The one row the Tab key stops at: where one was last, or else the first section that is drawn. */
export function tabStop(rows: readonly ListRow[], drawn: readonly number[], last: number): number | undefined {
  return drawn.includes(last) && rows[last]?.kind === "section"
    ? last
    : drawn.find((index) => rows[index]?.kind === "section");
}
