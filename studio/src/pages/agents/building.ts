import type { SectionAnswer } from "charter/answers";

/** A room of the drawn charter: one section. */
export type Room = {
  readonly name: string;
  readonly mutability: SectionAnswer["mutability"];
  /** Everything there is to say of it in one line. */
  readonly says: string;
  readonly amended: boolean;
};

/** A layer: its rooms, how many more it has than are drawn, and who may change what is in them. */
export type Floor = {
  readonly layer: string;
  readonly rooms: readonly Room[];
  readonly more: number;
  readonly may: string;
};

/** A charter layer by layer, the first on top. `hidden`: layers that are not drawn, and after how many they would stand. */
export type Building = {
  readonly floors: readonly Floor[];
  readonly hidden: { readonly floors: number; readonly after: number } | undefined;
  readonly sections: number;
};

export type Drawn = { readonly floors: number; readonly rooms: number };

type Section = Pick<SectionAnswer, "name" | "layer" | "heading" | "mutability" | "amendableBy" | "scope" | "revision">;

/** Of very many layers the first and the last are drawn; of a very long layer its first sections. */
export function buildingOf(sections: readonly Section[], most: Drawn = { floors: 16, rooms: 8 }): Building {
  const layers = new Map<string, Section[]>();
  for (const section of sections) {
    const layer = layers.get(section.layer);
    if (layer) layer.push(section);
    else layers.set(section.layer, [section]);
  }
  const all = [...layers.entries()];
  const below = Math.ceil(most.floors / 2);
  const hidden = all.length - most.floors;
  const drawn = hidden > 0 ? [...all.slice(0, below), ...all.slice(below + hidden)] : all;
  return {
    floors: drawn.map(([layer, its]) => floorOf(layer, its, most.rooms)),
    hidden: hidden > 0 ? { floors: hidden, after: below } : undefined,
    sections: sections.length,
  };
}

function floorOf(layer: string, sections: readonly Section[], most: number): Floor {
  return {
    layer,
    rooms: sections.slice(0, most).map(roomOf),
    more: Math.max(0, sections.length - most),
    may: [...new Set(sections.map(mayChange))].join(" · "),
  };
}

function roomOf(section: Section): Room {
  const { name, heading, mutability, scope, revision } = section;
  const amended = (revision ?? 0) > 0;
  const says = [
    name,
    ...(heading === null ? [] : [`“${heading}”`]),
    mayChange(section),
    ...(scope === "user" ? ["each user’s own copy"] : []),
    ...(amended ? [`revision ${revision}`] : []),
  ];
  return { name, mutability, says: says.join(" · "), amended };
}

/** Who may change a section's words, as it is written on its floor. */
export function mayChange({ mutability, amendableBy }: Pick<Section, "mutability" | "amendableBy">): string {
  if (mutability === "fixed") return "fixed";
  if (mutability === "live") return "live, generated per turn";
  return amendableBy.length === 0 ? "amendable by nobody" : `amendable by ${hands(amendableBy)}`;
}

function hands(actors: readonly string[]): string {
  return actors.length < 2 ? actors.join("") : `${actors.slice(0, -1).join(", ")} and ${actors.at(-1)}`;
}
