/**
 * A second opinion on Markdown's blocks: headings and thematic breaks, line by line, after CommonMark 0.31. It shares no
 * code with what it judges. Link reference definitions are not understood: a heading that may be one is `unsure`.
 */
export type Block = {
  readonly kind: "heading" | "rule";
  readonly level: number;
  /** From the first character of the heading's text or mark to the end of its last line. */
  readonly from: number;
  readonly to: number;
  readonly unsure: boolean;
};

export type View = {
  /** What ends a line: CommonMark's three, or everything a reader may take for one. */
  readonly lineEnd: RegExp;
  readonly html: boolean;
};

export const commonMarkLines = /\r\n|\n|\r/g;
export const everyLine = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

type Container = { readonly kind: "quote" } | { readonly kind: "item"; readonly indent: number; filled: boolean };
type Leaf =
  | { readonly kind: "paragraph"; readonly from: number; readonly first: string }
  | { readonly kind: "fence"; readonly mark: string; readonly length: number }
  | { readonly kind: "html"; readonly end: RegExp | undefined }
  | { readonly kind: "indented" };

const rule = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const htmlStarts: readonly [start: RegExp, end: RegExp | undefined, interrupts: boolean][] = [
  [/^<(?:script|pre|textarea|style)(?:\s|>|$)/i, /<\/(?:script|pre|textarea|style)>/i, true],
  [/^<!--/, /-->/, true],
  [/^<\?/, /\?>/, true],
  [/^<![A-Za-z]/, />/, true],
  [/^<!\[CDATA\[/, /\]\]>/, true],
  [/^<\/?(?:div|p|table|ul|ol|li|h[1-6]|hr|form|details|section|header|footer|nav)(?:\s|\/?>|$)/i, undefined, true],
  [
    /^(?:<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>|<\/[A-Za-z][A-Za-z0-9-]*\s*>)\s*$/,
    undefined,
    false,
  ],
];

export function blocksOf(text: string, view: View): Block[] {
  const found: Block[] = [];
  let open: Container[] = [];
  let leaf: Leaf | undefined;
  let start = 0;
  for (const end of [...text.matchAll(view.lineEnd), undefined]) {
    const stop = end?.index ?? text.length;
    eat(text.slice(start, stop), start);
    start = stop + (end?.[0].length ?? 0);
  }
  return found;

  function eat(line: string, offset: number): void {
    let at = 0;
    let column = 0;
    let partial = 0;
    const indent = (): number => {
      let width = partial;
      for (let look = at; line[look] === " " || line[look] === "\t"; look++)
        width += line[look] === "\t" ? 4 - ((column + width) % 4) : 1;
      return width;
    };
    const blank = () => line.slice(at).trim() === "" && /^[ \t]*$/.test(line.slice(at));
    const skip = (columns: number): void => {
      let left = columns;
      while (left > 0) {
        if (partial > 0) {
          const take = Math.min(partial, left);
          partial -= take;
          column += take;
          left -= take;
        } else if (line[at] === "\t") {
          partial = 4 - (column % 4);
          at++;
        } else if (line[at] === " ") {
          at++;
          column++;
          left--;
        } else return;
      }
    };
    const spaces = () => skip(indent());
    const rest = () => line.slice(at);

    let matched = 0;
    for (const container of open) {
      if (container.kind === "quote") {
        if (indent() > 3) break;
        const look = /^[ \t]*>/.exec(rest());
        if (!look) break;
        spaces();
        at++;
        column++;
        if (partial > 0 || line[at] === " " || line[at] === "\t") skip(1);
      } else if (blank()) {
        if (!container.filled) break;
      } else if (indent() >= container.indent) skip(container.indent);
      else break;
      matched++;
    }
    const allMatched = matched === open.length;

    if (allMatched && leaf?.kind === "fence") {
      const closing = indent() <= 3 ? /^(`{3,}|~{3,})[ \t]*$/.exec(rest().replace(/^[ \t]+/, ""))?.[1] : undefined;
      if (closing?.[0] === leaf.mark && closing.length >= leaf.length) leaf = undefined;
      return;
    }
    if (allMatched && leaf?.kind === "html") {
      if (leaf.end ? leaf.end.test(rest()) : blank()) leaf = undefined;
      return;
    }

    const paragraph: Extract<Leaf, { kind: "paragraph" }> | undefined = leaf?.kind === "paragraph" ? leaf : undefined;
    let containers = open.slice(0, matched);
    let opened = false;
    const start = (next: Leaf | undefined) => {
      open = containers;
      leaf = next;
      for (const container of open) if (container.kind === "item") container.filled = true;
    };
    for (;;) {
      if (blank()) break;
      const wide = indent();
      const inParagraph = paragraph !== undefined && !opened;
      if (wide >= 4) {
        if (inParagraph) break;
        start({ kind: "indented" });
        return;
      }
      const look = rest().replace(/^[ \t]+/, "");
      const place = offset + line.length - look.length;
      if (look.startsWith(">")) {
        spaces();
        at++;
        column++;
        if (line[at] === " " || line[at] === "\t") skip(1);
        containers = [...containers, { kind: "quote" }];
        opened = true;
        continue;
      }
      const atx = /^(#{1,6})(?:[ \t]|$)/.exec(look)?.[1];
      if (atx) {
        found.push({ kind: "heading", level: atx.length, from: place, to: offset + line.length, unsure: false });
        start(undefined);
        return;
      }
      const fence = /^(`{3,})[^`]*$|^(~{3,})/.exec(look);
      const fenceMark = fence?.[1] ?? fence?.[2];
      if (fenceMark) {
        start({ kind: "fence", mark: fenceMark[0] as string, length: fenceMark.length });
        return;
      }
      const html = view.html
        ? htmlStarts.find(([opens, , interrupts]) => opens.test(look) && (interrupts || !inParagraph))
        : undefined;
      if (html && !(paragraph && !allMatched && !html[2])) {
        start(html[1]?.test(look) ? undefined : { kind: "html", end: html[1] });
        return;
      }
      const setext = /^(=+|-+)[ \t]*$/.exec(look)?.[1];
      if (setext && inParagraph && allMatched) {
        const level = setext[0] === "=" ? 1 : 2;
        const unsure = /^\[/.test((paragraph as { first: string }).first);
        found.push({
          kind: "heading",
          level,
          from: (paragraph as { from: number }).from,
          to: offset + line.length,
          unsure,
        });
        start(undefined);
        return;
      }
      if (rule.test(look)) {
        found.push({ kind: "rule", level: 0, from: place, to: offset + line.length, unsure: false });
        start(undefined);
        return;
      }
      const item = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(look);
      const bare = item !== null && /^[ \t]*$/.test(look.slice(item[0].length));
      if (item && !(inParagraph && allMatched && (bare || (item[1] !== undefined && Number(item[1]) !== 1)))) {
        spaces();
        at += item[0].length;
        column += item[0].length;
        const gap = indent();
        const padding = bare || gap > 4 ? 1 : gap;
        skip(bare ? 0 : padding);
        containers = [...containers, { kind: "item", indent: wide + item[0].length + padding, filled: !bare }];
        opened = true;
        continue;
      }
      break;
    }
    if (blank()) {
      open = containers;
      leaf = undefined;
      return;
    }
    const lazy = paragraph !== undefined && !opened && !allMatched;
    if (lazy || (paragraph !== undefined && !opened && allMatched)) return;
    const look = rest().replace(/^[ \t]+/, "");
    start({ kind: "paragraph", from: offset + line.length - look.length, first: look });
  }
}
