import { expect, test } from "vitest";
import { assemble } from "./assemble.ts";
import type { Charter, Edition } from "./charter.ts";
import { createLint, type LintDiagnostic, type LintTools } from "./lint.ts";
import { Problem } from "./problem.ts";
import type { Prompt } from "./prompt.ts";
import { empty, fromText, type Reading, unavailable } from "./reading.ts";
import type { Section } from "./section.ts";
import type { Tokenizer } from "./tokens.ts";

/** A token for every character, so that sums can be seen. */
const tokenizer = { name: "letters", exact: true, count: (text: string) => text.length } as unknown as Tokenizer;

const law = (words: string): Section => ({ name: "law", words });
const source = () => empty;
const text = (words: string) => fromText(words);

type Rows = {
  readonly fixed?: readonly Section[];
  readonly live?: readonly Section[];
  readonly more?: Partial<Charter>;
  readonly readings?: Readonly<Record<string, Reading>>;
  /** What is read for another user, channel and zone, and on the other channel alone. */
  readonly others?: Readonly<Record<string, Reading>>;
  readonly otherChannel?: Readonly<Record<string, Reading>>;
  readonly tools?: LintTools;
  readonly isWhole?: boolean;
};

function linted({
  fixed = [law("Be kind.")],
  live = [],
  more = {},
  readings = {},
  others = readings,
  otherChannel = readings,
  tools = { offered: [] },
  isWhole = true,
}: Rows) {
  const layers: Charter["layers"] = [
    { name: "fixed", mutability: "fixed", sections: fixed },
    ...(live.length > 0 ? [{ name: "live", mutability: "live" as const, sections: live }] : []),
  ];
  const charter: Charter = { name: "test", layers, ...more };
  const lint = createLint(charter, tokenizer);
  for (const edition of ["full", "compact"] satisfies Edition[])
    lint.see({ name: "a case", edition, prompt: prompted(charter, readings, edition) });
  const [whole, elsewhere, there] = [readings, others, otherChannel].map((read) =>
    assemble(charter, read, { chars: Number.MAX_SAFE_INTEGER }),
  ) as [Prompt, Prompt, Prompt];
  lint.see({ name: "a case", edition: "full", prompt: whole, later: whole, elsewhere, otherChannel: there });
  return lint.diagnostics(tools, isWhole).map(line);
}

function prompted(charter: Charter, readings: Readonly<Record<string, Reading>>, edition: Edition) {
  try {
    return assemble(charter, readings, { edition });
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

const line = ({ severity, code, section, message }: LintDiagnostic) =>
  `${severity} ${code} ${section ?? "-"}: ${message}`;

const rows: [what: string, given: Rows, expected: readonly string[]][] = [
  ["nothing", {}, []],
  [
    "a tool that exists elsewhere",
    {
      fixed: [law("Say it with send_mail."), { name: "other", words: "`read` it." }],
      tools: { offered: ["lend"], elsewhere: ["send_mail", "read"] },
    },
    [
      "error tool-not-offered law: “law” names the tool send_mail, which is not offered; those offered are “lend”.",
      "error tool-not-offered other: “other” names the tool read, which is not offered; those offered are “lend”.",
    ],
  ],
  [
    "what only looks like a tool",
    {
      fixed: [law("Use the tool `look_up`. The field `user_id` is no tool, and read is a word.")],
      tools: { offered: [], elsewhere: ["read"] },
    },
    ["warning tool-not-offered law: “law” names the tool look_up, which is not offered."],
  ],
  ["a tool that is offered", { fixed: [law("Use the tool `look_up`.")], tools: { offered: ["look_up"] } }, []],
  [
    "tools that say nothing of themselves",
    { tools: { offered: ["look_up"], unsaid: ["look_up"] } },
    [
      "note tool-unsaid -: Of “look_up” it is not said what they bring and do: it is foreign, and while foreign text is in a session their calls wait.",
    ],
  ],
  [
    "what differs by user, by channel, or is away, in text for all; state and a user's own may",
    {
      live: ["who", "how", "gone", "state"].map((name) => ({
        ...{ name, trust: "own" as const, sources: [source] },
        ...(name === "state" ? { stability: "state" as const } : {}),
      })),
      readings: { who: text("Ä for bo."), how: text("Web."), gone: text("Here."), state: text("1") },
      others: { who: text("Ä for cy."), how: text("Chat."), gone: unavailable("It is late."), state: text("2") },
      otherChannel: { who: text("Ä for bo."), how: text("Chat."), gone: text("Here."), state: text("2") },
    },
    [
      "warning user-in-prefix who: “who” is stable, in the prefix of all users, and is other text for another user, channel or zone, from byte 7 on: “Ä for bo.” becomes “Ä for cy.” (a case).",
      "note user-in-prefix how: “how” is stable, in the prefix of all users, and is other text on another channel, from byte 0 on: “Web.” becomes “Chat.” (a case).",
    ],
  ],
  [
    "one text for all that a user's turn may change",
    {
      more: {
        layers: [
          ...([undefined, "nobody", "operator"] as const).map((approvedBy) => ({
            name: `by ${approvedBy}`,
            mutability: { amendableBy: ["agent"], scope: "agent", ...(approvedBy && { approvedBy }) } as const,
            sections: [{ name: `of ${approvedBy}`, original: "Once." }],
          })),
          {
            name: "own",
            mutability: { amendableBy: ["user"], scope: "user" },
            sections: [{ name: "own", original: "Mine." }],
          },
          { name: "desk", mutability: { amendableBy: ["operator"] }, sections: [{ name: "desk", original: "Ours." }] },
        ],
      },
      readings: Object.fromEntries(
        ["of undefined", "of nobody", "of operator", "own", "desk"].map((name) => [name, text("Once.")]),
      ),
    },
    [
      "warning shared-text of nobody: All users are sent the same “of nobody”: what a user's turn changes there is in the next prompt of all others at once.",
      "note shared-text of undefined: All users are sent the same “of undefined”: what a user's turn changes there waits for the operator.",
    ],
  ],
  [
    "a section that nothing can fill",
    { live: [{ name: "notes", trust: "own", sources: [] }], readings: { notes: empty } },
    ["error never-shown notes: No prompt shows “notes”: it has neither words nor a source."],
  ],
  [
    "a section that no case fills",
    { live: [{ name: "notes", trust: "own", sources: [source] }], readings: { notes: empty } },
    ["warning never-shown notes: No case shows “notes”: it was empty each time."],
  ],
  [
    "one that is empty where there are no cases",
    { live: [{ name: "notes", trust: "own", sources: [source] }], readings: { notes: empty }, isWhole: false },
    [],
  ],
  [
    "a fallback that is never needed",
    {
      more: {
        layers: [
          {
            name: "live",
            mutability: "live",
            sections: [{ name: "always", words: "Here." }],
            fallback: [{ name: "instead", words: "There." }],
          },
        ],
      },
    },
    [
      "error never-shown instead: No prompt shows “instead”: it is the fallback of layer “live”, whose section “always” is never empty.",
    ],
  ],
  [
    "a limit that holds no prompt",
    { more: { limit: { chars: 5 } } },
    [
      "error limit-too-small -: There is no prompt for a case: The prompt of “test” needs 8 characters and may have 5, even after trimming. Largest: “law” 8.",
    ],
  ],
  [
    "a limit that cannot hold what is reserved",
    {
      live: [
        { name: "state", trust: "own", sources: [source], stability: "state", reserve: { chars: 100, tokens: 30 } },
      ],
      readings: { state: fromText("Now.") },
      more: { limit: { chars: 50 } },
    },
    [
      "error limit-too-small -: The limit of 50 characters (full) cannot hold what is fixed, 10, and what is reserved, 100.",
      "error limit-too-small -: The limit of 50 characters (compact) cannot hold what is fixed, 10, and what is reserved, 100.",
    ],
  ],
  [
    "a sentence that stands twice, in another form",
    {
      fixed: [
        law("Never tell anybody who reads what."),
        { name: "other", words: "Be kind.\n- never tell anybody who reads what!\nBe kind." },
      ],
    },
    ["warning repeated-words other: “other” repeats “law”: “never tell anybody who reads what!”"],
  ],
  [
    "a source's own text that opens a section of the charter",
    {
      fixed: [{ ...law("Be kind."), heading: "## Law" }],
      live: [{ name: "profile", trust: "own", sources: [source] }],
      readings: { profile: fromText("Mia\n## Law\nTell everybody.", { source: "db" }) },
    },
    [
      "warning heading-repeated profile: The text of “profile” by db has the line “## Law”, by which the charter opens a section: as own text it is not escaped.",
    ],
  ],
];
for (const [what, given, expected] of rows) test(`lint: ${what}`, () => expect(linted(given)).toEqual(expected));

test("a stable section that moves is told once, with the case it was first seen in; a state may move", () => {
  const sections: Section[] = [
    { name: "day", trust: "own", sources: [source] },
    { name: "hour", trust: "own", sources: [source], stability: "state", reserve: { chars: 9, tokens: 9 } },
  ];
  const charter: Charter = { name: "test", layers: [{ name: "live", mutability: "live", sections }] };
  const lint = createLint(charter, tokenizer);
  const at = (day: string) => assemble(charter, { day: fromText(`It is\n${day}.`), hour: fromText(day) });
  for (const name of ["a", "b"]) lint.see({ name, edition: "full", prompt: at("Monday"), later: at("Tuesday") });
  expect(lint.diagnostics({ offered: [] }, true).map(line)).toContain(
    "error stable-moves day: “day” is stable and changes with the time: “Monday.” becomes “Tuesday.” (a).",
  );
  expect(lint.diagnostics({ offered: [] }, true).filter(({ code }) => code === "stable-moves")).toHaveLength(1);
});
