import { assemble, type Charter, defineCharter, type Section } from "../../src/index.ts";
import { createRandom, hostileWords, pickBy } from "./hostile-words.ts";
import { lineIdeas, type Reader, type Seen, seenIn } from "./readers.ts";

/** A way to write a section's heading, the level it has to Markdown (0: none), and the tags it is made of. */
export type Shape = {
  readonly name: string;
  readonly heading: (title: string) => string;
  readonly closing?: (title: string) => string;
  readonly level: number;
};

export const shapes: readonly Shape[] = [
  { name: "##", heading: (title) => `## ${title}`, level: 2 },
  { name: "#", heading: (title) => `# ${title}`, level: 1 },
  { name: "###", heading: (title) => `### ${title}`, level: 3 },
  {
    name: "XML",
    heading: (title) => `<${title.toLowerCase()}>`,
    closing: (title) => `</${title.toLowerCase()}>`,
    level: 0,
  },
  { name: "Setext", heading: (title) => `${title}\n---`, level: 2 },
  { name: "bold", heading: (title) => `**${title}**`, level: 0 },
];

const titles = ["Safety", "Goals", "Wishes", "Inbox", "Tools", "Ending"];
const separators = [undefined, undefined, undefined, "\n\n---\n\n", "\n\n* * *\n\n"];

/** Fixed words, an agent's, a user's, a stranger's, and our own at the end, with code, lists and HTML of their own. */
export function charterOf({ name, heading, closing }: Shape, separator: string | undefined): Charter {
  const section = (title: string, more: Partial<Section>): Section => ({
    name: title.toLowerCase(),
    heading: heading(title),
    ...(closing ? { closing: closing(title) } : {}),
    ...more,
  });
  const own = 'Run it:\n\n```sh\nls\n```\n\nthen <code>x</code> <b>y</b> <!-- z -->, `q` "w" > 3.\n\n- a\n- b';
  return defineCharter({
    name,
    ...(separator === undefined ? {} : { separator }),
    layers: [
      { name: "law", mutability: "fixed", sections: [section("Safety", { words: "Never lie." })] },
      {
        name: "words",
        mutability: "live",
        sections: [
          section("Goals", { trust: "user", sources: [] }),
          section("Wishes", { trust: "user", sources: [] }),
          section("Inbox", { trust: "foreign", sources: [] }),
        ],
      },
      {
        name: "own",
        mutability: "live",
        sections: [section("Tools", { words: own }), section("Ending", { words: "Be kind." })],
      },
    ],
  });
}

type Given = { readonly goals?: string; readonly wishes?: string; readonly inbox?: string };

export function promptOf(charter: Charter, { goals = "words", wishes = "words", inbox = "words" }: Given): string {
  const part = (text: string) => ({ status: "present" as const, parts: [{ text }] });
  return assemble(charter, { goals: part(goals), wishes: part(wishes), inbox: part(inbox) }).text;
}

/** What a page shows of the charter's structure. In a stranger's quotation anything may stand, as long as it ends there. */
function structureOf({ headings, rules, quotedRules, elements }: Seen, shape: Shape, ruled: boolean, foreign: boolean) {
  const declared = titles.map((title) => `${shape.level} ${title}`);
  const high = headings.filter(({ level }) => level <= shape.level);
  const named = high.map(({ level, text }) => `${level} ${text}`);
  const outside = high.filter(({ quoted }) => !quoted).map(({ level, text }) => `${level} ${text}`);
  let next = 0;
  for (const heading of named) if (heading === declared[next]) next++;
  const quotedToo = {
    all: shape.level === 0 || next === declared.length,
    own: outside.every((one) => declared.includes(one)),
  };
  const own = new Set(titles.map((title) => title.toLowerCase()));
  return {
    headings: foreign ? quotedToo : named,
    rules: !ruled ? undefined : foreign ? [rules <= 5, rules + quotedRules >= 5] : rules + quotedRules,
    tags: shape.closing ? elements.filter((name) => own.has(name)).sort() : undefined,
  };
}

/** What a reader sees who knows no Markdown: the charter's own tags, and its heading lines, wherever they stand. */
function linesOf(text: string, shape: Shape, foreign: boolean) {
  const names = titles.join("|");
  const tag = new RegExp(`<\\s*(/?)\\s*(${names})\\b`, "gi");
  const line = new RegExp(`^[\\s${foreign ? "" : ">"}]*\\*\\*\\s*(${names})\\s*\\*\\*\\s*$`, "i");
  return {
    tags: shape.closing ? [...text.matchAll(tag)].map(([, slash, name = ""]) => slash + name.toLowerCase()) : [],
    lines:
      shape.name === "bold"
        ? text
            .split("\n")
            .filter((one) => line.test(one))
            .map((one) => one.trim())
        : [],
  };
}

/** What a reader sees of harmless words, which are the same for many texts: found out once. */
const seenOfHarmless = new Map<string, Seen>();

function seeHarmless({ name, html }: Reader, harmless: string): Seen {
  const key = `${name}\n${harmless}`;
  const seen = seenOfHarmless.get(key) ?? seenIn(html(harmless));
  seenOfHarmless.set(key, seen);
  return seen;
}

/** Where any of the readers, with any idea of a line end, sees another structure than with harmless words. */
export function forged(
  readers: readonly Reader[],
  { shape, separator, given }: { readonly shape: Shape; readonly separator: string | undefined; readonly given: Given },
): string[] {
  const charter = charterOf(shape, separator);
  const [harmless, prompt] = [promptOf(charter, {}), promptOf(charter, given)];
  const foreign = given.inbox !== undefined;
  const views = new Map(lineIdeas.map(({ name, see }) => [see(prompt), name]));
  return [...views].flatMap(([view, idea]) => {
    const structure = (seen: Seen) => JSON.stringify(structureOf(seen, shape, separator !== undefined, foreign));
    const lines = (text: string) => JSON.stringify(linesOf(text, shape, foreign));
    const wrong = readers.flatMap((reader) => {
      const expected = structure(seeHarmless(reader, harmless));
      const page = readable(() => reader.html(view));
      const found = page === undefined ? expected : structure(seenIn(page));
      return found === expected ? [] : [`${reader.name}, lines ${idea}: ${found}`];
    });
    return lines(view) === lines(harmless) ? wrong : [...wrong, `line by line, lines ${idea}: ${lines(view)}`];
  });
}

/** A reader may fall over a text by a fault of its own: then it sees nothing at all. */
function readable(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** A charter and who writes what into it, as hostile as it gets: the same number gives the same. */
export function hostileCase(number: number) {
  const random = createRandom(number * 7919);
  const pick = pickBy(random);
  const [shape, separator, who] = [pick(shapes), pick(separators), pick(["agent", "user", "stranger", "two"])];
  const words = hostileWords(random);
  const given: Given =
    who === "two"
      ? { goals: words, wishes: hostileWords(random) }
      : { [{ agent: "goals", user: "wishes", stranger: "inbox" }[who] as string]: words };
  return { shape, separator, given };
}
