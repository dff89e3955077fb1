import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes the file of a charter with so many sections and gives its path: a tenth fixed, most amendable, every tenth
 * live, and one that tells the time. The amendable ones give way, the last first.
 */
export function writeManySections(folder: string, sections: number): string {
  const path = join(folder, `many-${sections}.charter.mjs`);
  writeFileSync(
    path,
    `const count = ${sections};
const fixed = Math.max(1, Math.floor(count / 10));
const name = (index) => \`section-\${String(index + 1).padStart(5, "0")}\`;
const words = (index) => Array.from({ length: 1 + (index * 7) % 5 },
  (_, line) => \`Line \${line + 1} of \${name(index)}: what was agreed about matter \${(index * 31 + line * 17) % 997}.\`).join("\\n");
const heading = (index) => \`## Matter \${index + 1}\`;
const range = (from, to) => Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
const isLive = (index) => index % 10 === 3;
export default {
  name: "many",
  layers: [
    { name: "law", owner: "charter", mutability: "fixed",
      sections: range(0, fixed).map((index) => ({ name: name(index), heading: heading(index), words: words(index) })) },
    { name: "matters", owner: "operator", mutability: { amendableBy: ["agent", "operator"], scope: "agent" },
      sections: range(fixed, count - 1).map((index) => isLive(index)
        ? { name: name(index), heading: heading(index), mutability: "live",
            trust: "own", sources: [() => ({ status: "present", parts: [{ text: words(index), source: "matters" }] })] }
        : { name: name(index), heading: heading(index), original: words(index) }) },
    { name: "now", mutability: "live",
      sections: [{ name: "time", heading: "## Now", stability: "state", reserve: { chars: 60, tokens: 40 },
        trust: "own", sources: [({ now }) => ({ status: "present", parts: [{ text: now, source: "clock" }] })] }] },
  ],
  givesWay: range(fixed, count - 1).reverse().map((index) => ({ section: name(index), from: "end", told: "(left out)" })),
};
`,
  );
  return path;
}
