import { assemble } from "../../charter/src/prompt/assemble.ts";
import { defineCharter } from "../../charter/src/prompt/charter.ts";
import { fromText, type Part, present, type Reading, type Readings } from "../../charter/src/prompt/reading.ts";
import type { Peers } from "../peers.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, flat, inRounds, inSteps, ratioOf, timeOf } from "../rounds.ts";
import {
  type ContextFile,
  coderPromptFloor,
  coderPromptInputs,
  coderPromptSlots,
  coderPromptTemplate,
  escaped,
  type Inputs,
  type Skill,
} from "../workloads/coder-prompt.ts";

const builds = 1_000;

/** A coding agent's prompt of 55 KB: built from what was loaded, and built again after one change. No tokens are counted. */
export async function coderPrompt(peers: Peers, rounds: number): Promise<Report> {
  const inputs = coderPromptInputs();
  const clocks = Array.from({ length: builds }, (_, index) => ({ ...inputs, date: `2026-03-${index}` }));
  const edits = Array.from({ length: builds }, (_, index) => withEdit(inputs, index));
  const held = readingsOf(inputs);
  const wrong = [
    ...differs("limit", joinCached(inputs, inputs), inputs),
    ...differs("Charter, first build", build(inputs), inputs),
    ...clocks.flatMap((turn) => differs("Charter, new clock", rebuildClock(held, turn), turn)),
    ...edits.flatMap((turn) => differs("Charter, edited file", rebuildFile(held, turn), turn)),
  ];
  const turns = Array.from({ length: builds }, (_, turn) => turn);
  const many = (name: string, one: (turn: number) => string): Contender => ({
    name,
    units: builds,
    prepare: () => inSteps(turns, 10, (turn) => flat(one(turn))),
  });
  const manyLater = (name: string, one: (turn: number) => Promise<string>): Contender => ({
    name,
    units: builds / 2,
    prepare: () =>
      turns.slice(0, 10).map(() => async () => {
        for (let turn = 0; turn < builds / 20; turn++) flat(await one(turn));
      }),
  });
  const contenders = [
    many("template", (turn) => coderPromptFloor(clocks[turn] as Inputs)),
    many("limit", (turn) => joinCached(inputs, clocks[turn] as Inputs)),
    many("first", (turn) => build(clocks[turn] as Inputs)),
    many("clock", (turn) => rebuildClock(held, clocks[turn] as Inputs)),
    many("file", (turn) => rebuildFile(held, edits[turn] as Inputs)),
  ];
  const others = peerBuilders(peers);
  for (const { name, build, same } of others) {
    const text = await build(inputs);
    if (same) wrong.push(...differs(name, text, inputs));
    contenders.push(manyLater(name, async (turn) => build(clocks[turn] as Inputs)));
  }
  const times = await inRounds(contenders, rounds);
  const row = (what: string, name: string, target?: number): Row => ({
    case: "coder-prompt",
    what,
    time: timeOf(times, name),
    ratio: { ...ratioOf(times, name, "template"), of: "template" },
    ...(target === undefined ? {} : { target }),
  });
  return {
    title: `coder-prompt  a coding agent's prompt, ${coderPromptFloor(inputs).length.toLocaleString("en")} characters`,
    about: "template = the string a careful person writes by hand; Charter's text is the same, byte for byte",
    rows: [
      { case: "coder-prompt", what: "template", time: timeOf(times, "template") },
      row("limit of building again: join cached strings", "limit"),
      row("Charter, first build from the inputs", "first", 1.5),
      row("Charter, again: the clock moved", "clock", 0.12),
      row("Charter, again: one context file changed", "file", 0.12),
      ...others.map(({ name }) => row(name, name)),
      ...(peers.absent ? [{ case: "coder-prompt", what: "peers", note: `absent: ${peers.absent}` }] : []),
    ],
    wrong,
  };
}

let cached: string[] | undefined;

/** Everything but the clock is at hand, a string a section. */
function joinCached(inputs: Inputs, { date, cwd }: Inputs): string {
  cached ??= coderPromptFloor({ ...inputs, date: "", cwd: "" })
    .split(/(?<=\n\n)(?=Available|In add|Guidelines:|# Project|The following)|(?<=_skills>\n)(?=Current)/)
    .map((text) => Buffer.from(text).toString());
  const pieces = cached.slice(0, -1);
  pieces.push(`Current date: ${date}\nCurrent working directory: ${cwd}`);
  return pieces.join("");
}

function withEdit(inputs: Inputs, index: number): Inputs {
  const [first, second, ...rest] = inputs.contextFiles as [ContextFile, ContextFile, ...ContextFile[]];
  return {
    ...inputs,
    contextFiles: [first, { ...second, content: flat(`${second.content}\n- Note ${index}.`) }, ...rest],
  };
}

function differs(who: string, text: string, inputs: Inputs): string[] {
  return text === coderPromptFloor(inputs) ? [] : [`coder-prompt, ${who}: the text is not that of the template.`];
}

// ── Charter ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const charter = defineCharter({
  name: "coder-prompt",
  layers: [
    {
      name: "base",
      mutability: "fixed",
      sections: [
        {
          name: "role",
          words:
            "You are an expert coding assistant. You help users by reading files, executing commands, editing code, and writing new files.",
        },
      ],
    },
    {
      name: "project",
      mutability: "live",
      sections: [
        {
          name: "tools",
          heading: "Available tools:",
          trust: "own",
          sources: [],
        },
        {
          name: "other-tools",
          mutability: "fixed",
          words: "In addition to the tools above, you may have access to other custom tools depending on the project.",
        },
        {
          name: "guidelines",
          heading: "Guidelines:",
          trust: "own",
          sources: [],
          closing: "- Be concise in your responses\n- Show file paths clearly when working with files",
        },
        { name: "append", trust: "own", sources: [] },
        {
          name: "context",
          heading: "# Project Context\n\nProject-specific instructions and guidelines:\n",
          separator: "\n\n",
          trust: "own",
          sources: [],
        },
      ],
    },
    {
      name: "surroundings",
      mutability: "live",
      separator: "\n",
      sections: [
        {
          name: "skills",
          heading:
            "The following skills provide specialized instructions for specific tasks.\nUse the read tool to load a skill's file when the task matches its description.\n\n<available_skills>",
          trust: "own",
          sources: [],
          closing: "</available_skills>",
        },
        { name: "clock", stability: "state", trust: "own", sources: [] },
      ],
    },
  ],
});

function build(inputs: Inputs): string {
  return assemble(charter, readingsOf(inputs)).text;
}

function rebuildClock(held: Readings, inputs: Inputs): string {
  return assemble(charter, { ...held, clock: clockReading(inputs) }).text;
}

/** The source keeps the parts of the files that did not change: it hands out the same objects. */
function rebuildFile(held: Readings, { contextFiles }: Inputs): string {
  const parts = held.context?.status === "present" ? [...held.context.parts] : [];
  parts[1] = filePart(contextFiles[1] as ContextFile);
  return assemble(charter, { ...held, context: present(parts) }).text;
}

function readingsOf(inputs: Inputs): Readings {
  const seen = new Set<string>();
  const guidelines: Part[] = [];
  for (const guideline of inputs.promptGuidelines)
    if (!seen.has(guideline)) {
      seen.add(guideline);
      guidelines.push({ text: `- ${guideline}` });
    }
  return {
    tools: present(inputs.selectedTools.map((name) => ({ text: `- ${name}: ${inputs.toolSnippets[name]}`, id: name }))),
    guidelines: present(guidelines),
    append: fromText(inputs.appendSystemPrompt),
    context: present(inputs.contextFiles.map(filePart)),
    skills: present(inputs.skills.map(skillPart)),
    clock: clockReading(inputs),
  };
}

function filePart({ path, content }: ContextFile): Part {
  return { text: `## ${path}\n\n${content}`, id: path, source: path };
}

function skillPart({ name, description, filePath }: Skill): Part {
  const text = `  <skill>\n    <name>${escaped(name)}</name>\n    <description>${escaped(description)}</description>\n    <location>${escaped(filePath)}</location>\n  </skill>`;
  return { text, id: name, source: filePath };
}

function clockReading({ date, cwd }: Inputs): Reading {
  return fromText(`Current date: ${date}\nCurrent working directory: ${cwd}`);
}

// ── Peers ───────────────────────────────────────────────────────────────────────────────────────────────────────────

type Builder = {
  readonly name: string;
  readonly build: (inputs: Inputs) => string | Promise<string>;
  /** The same text as the template? pi writes its own words around the inputs, prompt-tsx puts in its own line breaks. */
  readonly same: boolean;
};

function peerBuilders({ promptTsx, buildSystemPrompt, langChain }: Peers): Builder[] {
  const builders: Builder[] = [];
  if (buildSystemPrompt)
    builders.push({ name: "pi 0.57.1 buildSystemPrompt", build: (inputs) => buildSystemPrompt(inputs), same: false });
  if (langChain) {
    const template = langChain.PromptTemplate.fromTemplate(coderPromptTemplate);
    builders.push({
      name: "LangChain PromptTemplate",
      build: (inputs) => template.format(coderPromptSlots(inputs)),
      same: true,
    });
  }
  if (promptTsx) {
    const tokenizer = { name: "none", exact: false, count: (text: string) => text.length };
    const literalsAndSlots = coderPromptTemplate.split(/\{(\w+)\}/);
    const chunksOf = (inputs: Inputs) => {
      const slots = coderPromptSlots(inputs);
      return literalsAndSlots.map((text, index) => ({
        text: index % 2 === 0 ? text : (slots[text] as string),
        priority: literalsAndSlots.length - index,
      }));
    };
    builders.push({
      name: "@vscode/prompt-tsx",
      build: (inputs) => promptTsx(chunksOf(inputs), 1_000_000, tokenizer),
      same: false,
    });
  }
  return builders;
}
