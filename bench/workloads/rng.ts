/** Seeded text generators. Everything here is our own text. */
export type Random = { next: () => number; int: (below: number) => number; pick: <T>(from: readonly T[]) => T };

export function rng(seed = 1): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (below: number) => Math.floor(next() * below);
  return { next, int, pick: <T>(from: readonly T[]) => from[int(from.length)] as T };
}

const subjects = [
  "The agent",
  "Every caller",
  "The build",
  "A reviewer",
  "The scheduler",
  "Your reply",
  "The release branch",
  "Each worker",
  "The operator",
  "This module",
  "The wallet",
  "A failing test",
  "The migration",
  "The user",
  "An empty inbox",
  "The parser",
  "The deploy script",
  "A long conversation",
];
const verbs = [
  "must record",
  "should verify",
  "never hides",
  "checks",
  "prefers",
  "keeps",
  "reports",
  "re-reads",
  "validates",
  "may skip",
  "rebuilds",
  "summarises",
  "escalates",
  "caches",
  "rejects",
  "signs",
];
const objects = [
  "its inputs before acting",
  "the exact command that was run",
  "a short and plain summary",
  "the oldest open question first",
  "every balance above 0.25 ETH",
  "types at the package boundary",
  "files under `src/` and `tests/`",
  "the previous turn's outcome",
  "errors with their `cause`",
  "results in order of value per unit cost",
  "anything that touches production data",
  "the smallest change that passes",
  "secrets out of logs",
  "both the happy path and the failure path",
  "snapshots smaller than 64 KiB",
  "links to issue #4821 or later",
];
const tails = [
  "",
  "",
  "",
  " when the budget allows",
  " unless the operator says otherwise",
  " before the next turn begins",
  " (see `docs/policy.md`)",
  ", then stops",
  "; if unsure, ask once",
  " within 30 seconds",
  " and notes the reason",
];

export function sentence(random: Random): string {
  return `${random.pick(subjects)} ${random.pick(verbs)} ${random.pick(objects)}${random.pick(tails)}.`;
}

/** Prose of exactly `chars` characters, or a few less. */
export function prose(random: Random, chars: number, sentencesPerParagraph = 4): string {
  let out = "";
  for (let n = 0; out.length < chars; n++) {
    if (out) out += n % sentencesPerParagraph === 0 ? "\n\n" : " ";
    out += sentence(random);
  }
  return cut(out, chars);
}

/** Markdown with headings, bullets, a code fence: the shape of an AGENTS.md. */
export function markdown(random: Random, chars: number): string {
  const titles = ["Commands", "Style", "Testing", "Review", "Layout", "Safety", "Releases", "Naming"];
  let out = "";
  for (let k = 1; out.length < chars; k++) {
    out += `## ${random.pick(titles)} ${k}\n\n${sentence(random)} ${sentence(random)}\n\n`;
    for (let left = 3 + random.int(4); left > 0; left--) out += `- ${sentence(random)}\n`;
    out += "\n";
    if (k % 2 === 0) {
      const filter = random.pick(["core", "web", "cli", "agent"]);
      out += `\`\`\`bash\npnpm -w build && pnpm --filter @acme/${filter} test -- --runInBand --seed=${random.int(9999)}\n\`\`\`\n\n`;
    }
  }
  return cut(out, chars);
}

export function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1).trimEnd()}.`;
}

export function hex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => "0123456789abcdef"[random.int(16)]).join("");
}

export function address(random: Random): string {
  return `0x${hex(random, 40)}`;
}

const stems =
  "read write edit search fetch send list create update delete run grep plan review deploy sign recall remember schedule transfer".split(
    " ",
  );
const nouns =
  "file memory email reminder task calendar branch issue wallet message note page table image test metric".split(" ");

/** A tool's name: `read_file`. */
export function toolName(index: number): string {
  const noun = nouns[Math.floor(index / stems.length + index) % nouns.length];
  return `${stems[index % stems.length]}_${noun}${index >= 320 ? `_${index}` : ""}`;
}

/** A skill's name: `read-branch-0`. */
export function skillName(index: number): string {
  return `${stems[index % stems.length]}-${nouns[(index * 7 + 3) % nouns.length]}-${index}`;
}
