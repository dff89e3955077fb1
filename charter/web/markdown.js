import { make } from "./make.js";

const inline =
  /(`+)([^`].*?)\1|\*\*(?=\S)(.+?)\*\*|(?<!\w)[*_](?=\S)([^*_\n]+?)[*_](?!\w)|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>)\]]+)/g;

/** Words with what Markdown makes of them within a line. */
function words(text) {
  const parts = [];
  let last = 0;
  for (const found of text.matchAll(inline)) {
    const [whole, , code, bold, slanted, label, address, bare] = found;
    parts.push(text.slice(last, found.index));
    if (code !== undefined) parts.push(make("code", {}, code));
    else if (bold !== undefined) parts.push(make("strong", {}, ...words(bold)));
    else if (slanted !== undefined) parts.push(make("em", {}, slanted));
    else parts.push(make("a", { href: address ?? bare, target: "_blank", rel: "noopener noreferrer" }, label ?? bare));
    last = found.index + whole.length;
  }
  return [...parts, text.slice(last)];
}

const marked = (line) => /^\s*(?:[-*+]|\d{1,9}[.)])\s+/.exec(line);

/** Quotes within quotes, so many; what is deeper stays as it is. */
const deepest = 8;

/** The Markdown that answers are written in: code, headings, lists, quotes, paragraphs. The rest stays as it is. */
export function markdown(text, depth = 0) {
  const lines = text.split(/\r\n|\r|\n/);
  const blocks = [];
  const take = (holds) => {
    const taken = [];
    while (lines.length > 0 && holds(lines[0])) taken.push(lines.shift());
    return taken;
  };
  while (lines.length > 0) {
    const line = lines[0];
    const fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    const heading = /^(#{1,6})\s+(.*)$/s.exec(line);
    if (line.trim() === "") lines.shift();
    else if (fence !== undefined) {
      lines.shift();
      blocks.push(make("pre", {}, make("code", {}, take((one) => !one.trim().startsWith(fence)).join("\n"))));
      lines.shift();
    } else if (heading) {
      lines.shift();
      blocks.push(make("p", { className: "heading" }, ...words(heading[2])));
    } else if (line.startsWith(">") && depth < deepest) {
      const quoted = take((one) => one.startsWith(">")).map((one) => one.replace(/^>\s?/, ""));
      blocks.push(make("blockquote", {}, ...markdown(quoted.join("\n"), depth + 1)));
    } else if (marked(line)) {
      const items = take((one) => marked(one) || /^\s+\S/.test(one));
      const tag = /^\s*\d/.test(line) ? "ol" : "ul";
      const start = tag === "ol" ? { start: Number.parseInt(line, 10) } : {};
      blocks.push(
        make(
          tag,
          start,
          items.map((one) => make("li", {}, ...words(one.replace(marked(one)?.[0] ?? /^\s+/, "")))),
        ),
      );
    } else {
      // A line that is nothing else is words, whatever it looks like: each is taken, or there would be no end.
      const first = lines.shift();
      const more = take((one) => one.trim() !== "" && !/^(?:#{1,6}\s|>|\s*(?:`{3}|~{3}))/.test(one) && !marked(one));
      blocks.push(make("p", {}, ...words([first, ...more].join("\n"))));
    }
  }
  return blocks;
}
