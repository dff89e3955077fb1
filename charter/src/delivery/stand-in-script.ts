import { firstCharacters, preview } from "../prompt/character.ts";
import type { ToolResult } from "./model.ts";
import {
  type Call,
  callOffered,
  codingRules,
  codingTries,
  messageRules,
  newestPassage,
  once,
  reminderRules,
  reminderTries,
  type StandInMove,
  type StandInRule,
  type StandInView,
  shownInstructions,
} from "./stand-in-view.ts";

/** Maximum number of steps with calls: then it answers, whatever is left to do. */
const maxSteps = 3;

/**
 * Returns the next move, by the first rule that matches the user's text; a rule with nothing more to do leaves it to the report.
 */
export function nextMove(view: StandInView): StandInMove {
  const done = view.steps.flat();
  if (view.steps.length >= maxSteps) return { says: reportOf(done) };
  for (const { when, offered, move } of rules) {
    if (offered && !offered.some((tool) => view.offers.has(tool))) continue;
    const match = when.exec(view.asked);
    const next = match && move(match.slice(1), view);
    if (next) return next;
    if (match) break;
  }
  return { says: done.length > 0 ? reportOf(done) : plainAnswer(view) };
}

const rules: readonly StandInRule[] = [
  { when: /^(?:write down|summari[sz]e) what was said\b/i, move: (_, { before }) => ({ says: [notesOf(before)] }) },
  { when: /^(?:then )?call [\w-]+ with\b/im, move: (_, view) => calledByName(view) },
  { when: /^never ?mind\b/i, move: () => undefined },
  ...messageRules,
  ...codingRules,
  ...reminderRules,
  {
    when: /\b(?:forget|clear|delete|remove) (?:all (?:of )?)?my (?:standing )?instructions\b/i,
    move: once(() => ({ update_instructions: { instructions: "" } })),
  },
  {
    when: /\breset your (?:system )?prompt\b/i,
    move: once(() => ({ modify_system_prompt: { operation: "reset" } })),
  },
  {
    when: /\b(?:what does your (?:system )?prompt say|(?:show me|read) your (?:system )?prompt)\b(?:.*\bsection ["“]?([\w-]+))?/i,
    move: ([asked], view) => {
      const section = asked ?? onlySection(view.steps.flat());
      if (view.steps.length > (asked === undefined && section !== undefined ? 1 : 0)) return undefined;
      return callOffered(view, { read_prompt: section === undefined ? {} : { section } });
    },
  },
  {
    when: /\badd to your goals?\s*[:,]?\s*([\s\S]+)/i,
    move: once(([goal = ""], { systemTexts }) => ({
      modify_system_prompt: goalChange(newestPassage(systemTexts, /^Goals$/i), goal.trim()),
      update_prompt_layer: withLayerLine(systemTexts, `- ${sentence(goal)}`),
    })),
  },
  {
    when: /\b(?:what|do) (?:do )?you (?:remember(?: (?:about |of )?([\s\S]+?))?|know about ([\s\S]+?))\s*[?.!]*$/i,
    move: once(([about, known]) => {
      const query = about ?? known ?? "";
      return { read_memory: /^(?:me|us|myself)?$/i.test(query) ? {} : { query } };
    }),
  },
  {
    when: /(?:^|[.!?,]\s+)(?:please[, ]+)?(?:remember|do(?:n't| not) forget)(?: that)?[:,]? +([\s\S]+)/i,
    move: once(([content = ""]) => ({
      save_memory: { content: content.trim() },
      update_core_memory: { operation: "append", content: sentence(content) },
    })),
  },
  {
    when: /(?:^|[.!?]\s+)((?:(?:please|okay|ok|could you|can you|you (?:should|must)|i want you to)[, ]+)*)((?:always|never|from now on)[, ]+[^\n]+)/i,
    move: ([asked, words = ""], view) => {
      const isQuestion = words.trim().endsWith("?");
      return isQuestion && !asked ? undefined : keptForGood(sentence(words.replace(/\?\s*$/, "")), view);
    },
  },
];

/** Keeps “Always …” in the standing instructions, with all that is there; where there are none, in the prompt itself. */
function keptForGood(line: string, view: StandInView): StandInMove | undefined {
  const { offers, steps, systemTexts } = view;
  const amended = steps.flat().some(({ name }) => name !== "read_memory");
  if (amended) return undefined;
  const { words, partly } = shownInstructions(view);
  if (offers.has("update_instructions") && partly && offers.has("read_memory") && steps.length === 0)
    return callOffered(view, { read_memory: { query: "instructions" } });
  if (offers.has("update_instructions") && partly)
    return { says: ["I could not read all of your instructions, so I left them as they are."] };
  if (words.split("\n").includes(line)) return { says: [`It is in your instructions already: “${line}”`] };
  return callOffered(view, {
    update_instructions: { instructions: words === "" ? line : `${words}\n${line}` },
    modify_system_prompt: { operation: "append", content: line },
    update_prompt_layer: withLayerLine(systemTexts, `- ${line}`),
  });
}

function goalChange(goals: { heading: string; words: string } | undefined, goal: string): object {
  if (!goals) return { operation: "append", content: `\n## Goals\n- ${goal}` };
  const numbers = [...goals.words.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  const line = numbers.length > 0 ? `${Math.max(...numbers) + 1}. ${goal}` : `- ${goal}`;
  const words = goals.words === "" ? line : `${goals.words}\n${line}`;
  return { operation: "replace_section", section_marker: goals.heading, section_content: words };
}

/** Returns layer 6 with one more line; undefined where no such layer was shown. */
function withLayerLine(systemTexts: readonly string[], line: string): object | undefined {
  const layer = newestPassage(systemTexts, /^Layer 6: /);
  return layer && { layer_id: 6, content: `${layer.words}\n${line}` };
}

/** Reads “call <tool> with {…}”, one call a line; “then call …” begins the next step. */
function calledByName({ asked, offers, steps }: StandInView): StandInMove | undefined {
  const parts = asked.split(/^(?=(?:then )?call [\w-]+ with\b)/im).filter((part) => /^(?:then )?call /i.test(part));
  const stages: Call[][] = [[]];
  for (const part of parts) {
    const [, then, name = "", input = ""] = /^(then )?call ([\w-]+) with\b\s*([\s\S]*)/i.exec(part) ?? [];
    if (then !== undefined && stages.at(-1)?.length) stages.push([]);
    stages.at(-1)?.push({ name, input: input.trim() === "" ? "{}" : input.trim() });
  }
  const calls = stages[steps.length];
  const missing = calls?.find(({ name }) => !offers.has(name));
  if (missing) {
    const available = offers.size === 0 ? "There are none." : `There are ${[...offers].join(", ")}.`;
    return { says: [`No tool “${missing.name}” is offered to me. ${available}`] };
  }
  return calls && { calls };
}

function plainAnswer({ asked, before, offers }: StandInView): string[] {
  const tries: readonly (readonly [tool: string, words: string])[] = [
    ["update_instructions", "always answer in bullet points"],
    ["save_memory", "remember that I like tea"],
    ["update_core_memory", "remember that you are Ada"],
    ["read_memory", "what do you remember about me?"],
    ...reminderTries,
    ["modify_system_prompt", "always answer in bullet points"],
    ["modify_system_prompt", "add to your goals: rest more"],
    ["update_prompt_layer", "add to your goals: rest more"],
    ["read_prompt", "what does your prompt say?"],
    ...codingTries,
  ];
  const words = [...new Set(tries.filter(([tool]) => offers.has(tool)).map(([, phrase]) => `“${phrase}”`))];
  return [
    "I am a script that stands in for a model: nothing was sent anywhere.",
    `You wrote: “${preview(asked, 400)}”.`,
    ...(before.length === 0 && words.length > 0 ? [`Try ${words.join(", ")}.`] : []),
  ];
}

function sentence(words: string): string {
  const line = words.replace(/\s+/g, " ").trim();
  const opened = line.charAt(0).toUpperCase() + line.slice(1);
  return /[.!?…]$/.test(opened) ? opened : `${opened}.`;
}

/** Reports the results of its calls, in sentences that claim no more than the results do. */
function reportOf(results: readonly ToolResult[]): string[] {
  return results.flatMap((result) => amendmentReport(result.output) ?? [plainReport(result)]);
}

function plainReport({ name, output, failed }: ToolResult): string {
  const text = failed ? output.replace(/^It failed: /, "") : output;
  const shownText = fileTools.has(name) ? shortened(text, failed ? 1000 : 200) : text;
  if (failed) return `${name} failed:${shownText.includes("\n") ? "\n" : " "}${shownText}`;
  if (["save_memory", "write", "edit"].includes(name)) return shownText;
  return (name === "read_prompt" && promptReport(output)) || `${name} answered:\n${shownText}`;
}

const fileTools = new Set(["read", "bash", "edit", "write", "grep", "find", "ls"]);

/** Shortens a result for the reply, where nobody reads a whole file: to its first lines, and the number of the others. */
function shortened(output: string, lineChars: number): string {
  const lines = output.split("\n");
  const shown = lines.slice(0, 20).map((line) => {
    const first = firstCharacters(line, lineChars);
    return first.length === line.length ? line : `${first}…`;
  });
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`(and ${more} more ${more === 1 ? "line" : "lines"})`] : [])].join("\n");
}

function promptReport(output: string): string | undefined {
  const { sections, section, text, revision } = parsed(output) ?? {};
  if (section !== undefined && text !== undefined)
    return `“${section}”${revision === undefined ? "" : ` (revision ${revision})`} says:\n${text}`;
  const lines = sections?.map((one) => {
    const stands = one.revision === undefined ? "" : `, revision ${one.revision}`;
    return `- ${one.section}: changed by ${one.changedBy}${stands}`;
  });
  return (
    lines && [`My prompt has ${lines.length === 1 ? "one section" : `${lines.length} sections`}:`, ...lines].join("\n")
  );
}

type ToolOutcome = {
  readonly verdict?: unknown;
  readonly section?: string;
  readonly says?: string;
  readonly because?: string;
  readonly held?: string;
  readonly refusals?: readonly { readonly guard: string; readonly because: string }[];
  readonly dropped?: readonly string[];
  readonly diff?: string;
  readonly text?: string;
  readonly revision?: number;
  readonly sections?: readonly { readonly section: string; readonly changedBy: string; readonly revision?: number }[];
};

function amendmentReport(output: string): string[] | undefined {
  const outcome = parsed(output);
  const reasons =
    outcome?.refusals?.map(({ guard, because }) => `${guard}: ${because}`).join(" ") ?? outcome?.because ?? "";
  const what = outcome?.section === undefined ? "The call" : `The change of “${outcome.section}”`;
  switch (outcome?.verdict) {
    case "accepted":
      return [
        `Done: ${outcome.says ?? `“${outcome.section}” was changed.`}`,
        ...few("It says now", added(outcome.diff)),
        ...few("It says no longer", outcome.dropped ?? []),
      ];
    case "unchanged":
      return [outcome.says ?? `“${outcome.section}” says exactly this already: nothing was changed.`];
    case "refused":
      return [`${what} was refused, and nothing was changed. ${reasons}`];
    case "held":
      return [`${what} waits for a person's approval as ${outcome.held}, and nothing has changed yet. ${reasons}`];
    default:
      return undefined;
  }
}

function added(diff = ""): string[] {
  const lines = diff.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++ "));
  return lines.map((line) => line.slice(1)).filter((line) => line.trim() !== "");
}

function few(opening: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, 3).map((line) => `“${preview(line, 120)}”`);
  const more = lines.length - shown.length;
  return [`${opening}: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`];
}

function parsed(output: string): ToolOutcome | undefined {
  if (!output.startsWith("{")) return undefined;
  try {
    return JSON.parse(output) as ToolOutcome;
  } catch {
    return undefined;
  }
}

/** Returns the name of a prompt's section, where it has only one. */
function onlySection(results: readonly ToolResult[]): string | undefined {
  const { sections = [] } = parsed(results.find(({ name }) => name === "read_prompt")?.output ?? "") ?? {};
  return sections.length === 1 ? sections[0]?.section : undefined;
}

/** Sums up the conversation in few words: a long history is compacted to this. */
function notesOf(before: readonly { readonly user: string; readonly reply: string }[]): string {
  const lines = before.map(({ user, reply }) => `- The user: “${preview(user, 160)}” I: “${preview(reply, 160)}”`);
  return ["Notes of what was said so far:", ...lines.slice(-40)].join("\n");
}
