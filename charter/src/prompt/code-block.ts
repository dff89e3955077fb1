import { before, blank, type LineCuts, lineCuts } from "./line.ts";
import type { Place } from "./place.ts";

/**
 * Code between two fences that every reader sees alike: its first and last line, and how far it is indented. `sealed`: to
 * no reader is there a line of words at its end; there is where the last fence is longer, or where it stands in a quotation or
 * deep in a list.
 */
export type CodeBlock = {
  readonly first: number;
  readonly last: number;
  readonly indent: number;
  readonly sealed: boolean;
};

type CodeBlocks = {
  readonly blocks: readonly CodeBlock[];
  readonly doubtful: readonly Place[];
  readonly closing: string;
};

const fenceLine = new RegExp(`^${before}(?=\`{3}|~{3})`);
const opening = /^((?:> )?)( *)(`{3,}|~{3,}) *[^\s`~]*$/;
const itemLine = /^( *)(?:[-*+]|\d{1,9}[.)])( {1,4})(?=\S)/;

/** `lead`: what each line of the block begins with: spaces, or the mark of a quotation. */
type Fence = { readonly indent: number; readonly lead: string; readonly run: string };

/**
 * The code blocks all readers agree on, and the fences that are none of theirs.
 *
 * A fence is believed where readers pair it alike: alone on its line with at most one plain word, closed by the
 * same signs at the same indent, with something between them and nothing there that leaves the indent or could close it
 * earlier, and not on the heels of HTML. Each other fence is made inert, which leaves the rest as plain as it was.
 */
export function plainBlocks(text: string, cuts: LineCuts, underTag: boolean): CodeBlocks {
  const blocks: CodeBlock[] = [];
  const doubtful: Place[] = [];
  if (!text.includes("```") && !text.includes("~~~")) return { blocks, doubtful, closing: "" };
  const lineAt = (index: number) => text.slice(cuts.starts[index], cuts.ends[index]);
  const items = createItems();
  let html = underTag;
  let closing = "";
  let odd: OddFence | undefined;
  for (let index = 0; index < cuts.starts.length; index++) {
    const line = lineAt(index);
    if (blank.test(line) && cuts.plain[index]) {
      html = false;
      items.blank();
      continue;
    }
    const at = fenceLine.exec(line)?.[0].length;
    if (at !== undefined && cuts.plain[index] && fillsItem(line, lineAt(index + 1))) items.loosen();
    else if (at !== undefined && !isSpan(line, at)) {
      const fence = cuts.plain[index] && !html && !closes(line, at, odd) ? fenceOf(line, items) : undefined;
      const last = fence ? closeOf(fence, index, cuts, lineAt) : undefined;
      if (fence && last !== undefined && (last < cuts.starts.length || index + 1 < last)) {
        const { indent, lead, run } = fence;
        const end = Math.min(last, cuts.starts.length - 1);
        blocks.push({
          first: index,
          last: end,
          indent,
          sealed: indent <= 3 && lead.trim() === "" && lineAt(end).length <= indent + run.length,
        });
        if (last === cuts.starts.length) {
          closing = `\n${fence.run}`;
          doubtful.push({ what: "fence", at: (cuts.starts[index] as number) + at, certainty: "hides" });
        }
        index = last;
        continue;
      }
      const place = { what: "fence", at: (cuts.starts[index] as number) + at } as const;
      if (closes(line, at, odd)) {
        doubtful.push({ ...place, certainty: "maybe" });
        odd = undefined;
      } else {
        const [run = ""] = /^(?:`+|~+)/.exec(line.slice(at)) ?? [];
        doubtful.push({ ...place, certainty: text.indexOf(run, cuts.ends[index]) === -1 ? "hides" : "maybe" });
        odd = { at, run };
      }
    }
    html ||= /^[^A-Za-z]*</.test(line);
    items.line(line);
  }
  return { blocks, doubtful, closing };
}

/** The newest fence that is not believed: the like of it below closes it, and opens nothing. */
type OddFence = { readonly at: number; readonly run: string };

function closes(line: string, at: number, odd: OddFence | undefined): boolean {
  return odd !== undefined && at === odd.at && line.startsWith(odd.run, at) && /^(`+|~+)[ \t]*$/.test(line.slice(at));
}

/** Where a fence opens that nothing closes. */
export function openFence(text: string): number | undefined {
  return plainBlocks(text, lineCuts(text), false).doubtful.find(({ certainty }) => certainty === "hides")?.at;
}

/** `` ``` `` and more of them on the same line are code within it, not a fence, to all. */
function isSpan(line: string, at: number): boolean {
  return line[at] === "`" && /^`+[^`]+`/.test(line.slice(at));
}

/**
 * A fence that is all there is to its list item ends with it, as in the comments of code: the next item follows at once.
 * Some readers make one item of several, so code deep in a later list is not believed then.
 */
function fillsItem(line: string, next: string): boolean {
  const bullet = /^ *[*+-] (?=[`~]{3})/.exec(line)?.[0].trimEnd();
  return bullet !== undefined && (next.startsWith(`${bullet} `) || next === bullet || next === `${bullet}/`);
}

function fenceOf(line: string, items: Items): Fence | undefined {
  const [, quotation = "", white = "", run = ""] = opening.exec(line) ?? [];
  if (run === "") return undefined;
  const indent = white.length;
  if (quotation !== "") return indent === 0 ? { indent: 0, lead: quotation, run } : undefined;
  return indent <= 3 || items.hold(indent) ? { indent, lead: white, run } : undefined;
}

/** The line that closes a fence; one past the last when none does; nothing where readers may disagree. */
function closeOf(
  { lead, run }: Fence,
  first: number,
  cuts: LineCuts,
  lineAt: (index: number) => string,
): number | undefined {
  const like = new RegExp(`^${before}${run[0]}{${run.length}}`);
  const closing = new RegExp(`^${lead}${run}${run[0]}*$`);
  let others = false;
  for (let index = first + 1; index < cuts.starts.length; index++) {
    const line = lineAt(index);
    const plain = cuts.plain[index] as boolean;
    if (plain && closing.test(line)) return index === first + 1 ? undefined : index;
    if (!plain || like.test(line)) return undefined;
    const inside = line.startsWith(lead) || (lead === "> " ? line === ">" : blank.test(line));
    if (!inside) return undefined;
    others ||= fenceLine.test(line);
  }
  return lead === "" && !others ? cuts.starts.length : undefined;
}

/** The list items a line stands in, as long as they are ones that all readers nest alike. */
type Items = {
  readonly line: (line: string) => void;
  readonly blank: () => void;
  /** From here on, readers nest items otherwise. */
  readonly loosen: () => void;
  readonly hold: (indent: number) => boolean;
};

function createItems(): Items {
  let offsets: number[] = [];
  let loose = false;
  let apart = true; // Does a blank line stand above? A list begins there, to all.
  return {
    line(line) {
      const indent = line.length - line.trimStart().length;
      offsets = offsets.filter((offset) => offset <= indent);
      const [whole, white = ""] = itemLine.exec(line) ?? [];
      const begins = whole !== undefined && (offsets.length > 0 || (apart && white.length <= 3));
      if (begins) offsets.push(whole.length);
      apart = begins;
    },
    blank() {
      apart = true;
    },
    loosen() {
      loose = true;
    },
    hold: (indent) => !loose && indent - (offsets.at(-1) ?? indent + 1) >= 0 && indent - (offsets.at(-1) ?? 0) <= 3,
  };
}
