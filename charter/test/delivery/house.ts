import { type Charter, defineCharter, fromText, type Readings, type Section } from "../../src/index.ts";

const moving = { reserve: { chars: 50, tokens: 20 }, trust: "own" as const, sources: [] };

/** A section of every kind, each a word or two, so that whole requests can be read. */
export const house: Charter = defineCharter({
  name: "house",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "# Law", words: "Harm no one." }] },
    {
      name: "own",
      mutability: { amendableBy: ["agent", "operator"], scope: "agent" },
      separator: "\n\n\n",
      sections: [
        { name: "soul", heading: "# Soul" },
        { name: "goals", heading: "# Goals" },
      ],
    },
    {
      name: "user",
      mutability: { amendableBy: ["agent", "user"], scope: "user" },
      sections: [{ name: "wishes", heading: "# Wishes" }],
    },
    {
      name: "now",
      mutability: "live",
      sections: [
        { name: "arrival", stability: "event", ...moving },
        { name: "inbox", heading: "# Inbox", stability: "state", ...moving, trust: "foreign" },
        { name: "clock", stability: "state", ...moving },
      ],
    },
  ],
});

export type Told = Partial<Record<"soul" | "goals" | "wishes" | "arrival" | "inbox" | "clock", string>>;

const usual: Told = { soul: "Be kind.", goals: "Grow.", wishes: "Be brief.", clock: "It is noon." };

/** What is read for the house: the usual, and what a test says. An empty text is nothing. */
export function told(words: Told = {}): Readings {
  const all = { soul: "", goals: "", wishes: "", arrival: "", inbox: "", clock: "", ...usual, ...words };
  return Object.fromEntries(Object.entries(all).map(([name, text]) => [name, fromText(text, { source: name })]));
}

/** The same, with the revision that some of it stands at. */
export function revised(words: Told, revisions: Partial<Record<keyof Told, number>>): Readings {
  const standing = Object.entries(revisions).map(([name, revision]) => {
    const text = words[name as keyof Told] ?? usual[name as keyof Told];
    return [name, fromText(text, { source: name, revision })];
  });
  return { ...told(words), ...Object.fromEntries(standing) };
}

/** The house with its sections changed: an upgrade of the charter. */
export function rebuilt(change: (section: Section, layer: string) => readonly Section[]): Charter {
  return defineCharter({
    ...house,
    layers: house.layers.map((layer) => ({
      ...layer,
      sections: layer.sections.flatMap((section) => change(section, layer.name)),
    })),
  });
}
