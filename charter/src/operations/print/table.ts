import { countedWith } from "../../delivery/cache-break.ts";
import { countCharacters } from "../../prompt/character.ts";
import { counted } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import { colours } from "./colour.ts";
import { cutText, leftOut } from "./cut.ts";

/** The sections of a prompt as a picture: a bar for each one's tokens, its colour by who may change it. */
export function table(
  prompt: Prompt,
  tokenizer: Tokenizer,
  stream: { readonly isTTY?: boolean; readonly columns?: number },
): string {
  const paint = colours(stream);
  const byMutability = { fixed: paint.blue, amendable: paint.green, live: paint.yellow };
  const { total, sections: counts, exact } = prompt.tokens(tokenizer);
  const rows = prompt.sections.map((section, index) => ({ ...section, tokens: counts[index] ?? 0 }));
  const nameWidth = Math.max(7, ...rows.map(({ name }) => name.length));
  const sourceWidth = 22;
  const barWidth = Math.max(8, Math.min(40, (stream.columns ?? 100) - nameWidth - sourceWidth - 31));
  const most = Math.max(1, ...rows.map(({ tokens }) => tokens));
  const lines = [
    paint.dim(
      `${"section".padEnd(nameWidth)}  ${"mutability".padEnd(10)} ${"changes".padEnd(7)} ${"source".padEnd(sourceWidth)} tokens`,
    ),
    ...rows.map(({ name, mutability, stability, source, tokens }) => {
      const bar = tokens === 0 ? "" : "█".repeat(Math.max(1, Math.round((tokens / most) * barWidth)));
      const from = source.length > sourceWidth ? `${source.slice(0, sourceWidth - 1)}…` : source.padEnd(sourceWidth);
      return `${name.padEnd(nameWidth)}  ${mutability.padEnd(10)} ${stability.padEnd(7)} ${from} ${String(tokens).padStart(6)} ${byMutability[mutability](bar)}`;
    }),
    `${paint.bold(counted(total, "token"))} ${paint.dim(`(${countedWith({ name: tokenizer.name, exact })}), ${counted(countCharacters(prompt.text), "character")}, edition ${prompt.edition}`)}`,
    ...prompt.cuts.map((cut) => paint.yellow(`cut      ${cut.section}: ${cut.form}, ${cutText(cut)}. ${cut.because}`)),
    ...leftOut(prompt.omitted).map((words) => paint.dim(`omitted  ${words}`)),
    ...prompt.notices.map(({ code, message }) => paint.red(`notice   ${code}: ${message}`)),
  ];
  return `${lines.join("\n")}\n`;
}
