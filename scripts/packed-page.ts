// A page as it lies in a package. What only a clone has cannot be followed from there: it is named instead of linked.

import { posix } from "node:path";

/** A page of the repository, by its path in it, as a package has it that holds these files and folders. */
export function packedPage(text: string, page: string, held: readonly string[]): string {
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((piece) => (piece.startsWith("```") ? piece : piece.replace(links, unlinked)))
    .join("");

  function unlinked(link: string, label: string, target: string): string {
    if (/^(?:[a-z]+:|#)/i.test(target)) return link;
    const file = posix.join(posix.dirname(page), target.replace(/#.*$/, ""));
    if (held.some((name) => file === name || file.startsWith(`${name}/`))) return link;
    return label.includes(file) ? `${label} (in the repository)` : `${label} (\`${file}\` in the repository)`;
  }
}

/** A link, but no picture: a page's pictures lie beside it. */
const links = /(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g;
