import { colours } from "../../operations/print/colour.ts";
import { pairs } from "../../operations/print/columns.ts";
import { hintsHere } from "../../operations/print/command-name.ts";
import { wrapText } from "../../operations/print/wrap.ts";
import type { Demo } from "./demo.ts";

type BannerFacts = { readonly demo: Demo; readonly url: string; readonly link: string; readonly moved: boolean };

/** What the terminal says once a demo runs: the link, what it is, and what to try. */
export function demoBanner({ demo, url, link, moved }: BannerFacts): string[] {
  const { bold, cyan, dim, yellow } = colours(process.stdout);
  const width = (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
  const { database } = demo.config;
  const made = demo.isNew ? "made just now" : `made ${demo.made.toISOString().slice(0, 10)}`;
  const rows: [string, string][] = [
    ["agents", "ada, art, cody, rex, sol: one of each charter"],
    ["you are", "olga, the operator"],
    ["model", "the stand-in alone, whatever keys are set"],
    ["database", `${database} (${made}; --fresh makes it anew)`],
  ];
  const another = hintsHere(`charter tokens sign-in --url ${url} --database ${database}`);
  return [
    `${bold("A demo of Charter")} is running at ${cyan(url)}${moved ? " (4747 is taken)" : ""}`,
    "",
    "Sign in, once, within ten minutes:",
    `  ${cyan(link)}`,
    ...wrapText(`Another link: ${another}`, width).map(dim),
    "",
    ...pairs(rows, process.stdout),
    ...wrapText(
      "Everything in it is made up. No setting of this directory is read, and nothing leaves this machine.",
      width,
    ).map(yellow),
    "",
    "Say one of these to ada, on the page Chat:",
    ...demo.tries.flatMap(({ say, result }) => [`  “${say}”`, ...wrapText(`    ${result}`, width).map(dim)]),
    "",
    dim("Ctrl-C stops it."),
  ];
}
