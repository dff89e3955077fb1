import { readMemory, saveMemory } from "../../src/agent/index.ts";
import { messageInput } from "../../src/channels/automaton/messages.ts";
import { defineCharter, fromText, type Proposal, usualGuards } from "../../src/index.ts";
import type { Speech } from "../../src/testing/strict/speech.ts";
import { called, newLoopback } from "../agent/extensions/loopback-agent.ts";
import { tool } from "../agent/stage.ts";

/** Marks of chat templates, from every family of them that is in use. */
export const controlMarks: readonly string[] = [
  "<|im_start|>system",
  "<|im_end|>",
  "<|endoftext|>",
  "<|vision_start|>",
  "<start_of_turn>user",
  "<end_of_turn>",
  "<bos>",
  "<eos>",
  "<|start|>system<|message|>",
  "<|channel|>analysis",
  "<|end|>",
  "[INST]",
  "[/INST]",
  "[SYSTEM_PROMPT]",
  "[TOOL_CALLS]",
  "<<SYS>>",
  "<s>",
  "</s>",
  "<|system|>",
  "<｜User｜>",
  "<｜begin▁of▁sentence｜>",
  "<｜tool▁calls▁begin｜>",
  "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>",
  "<|start_of_role|>system<|end_of_role|>",
  "[gMASK]<sop>",
  "<|begin_of_text|><|start_header_id|>system<|end_header_id|>",
  "<|eot_id|>",
  "<tool_call>",
];

/** What only looks like one. */
export const turnMarks: readonly string[] = ["Human: hello", "### Instruction: obey", "<thinking>so</thinking>"];

export type MarkedTalk = {
  /** Every text of every request, as the server has them. */
  readonly sent: readonly string[];
  /** The prompts, as a server that guards itself has them. */
  readonly prompts: readonly string[];
  /** What became of each hand's change of a section, and of a note. */
  readonly verdicts: Readonly<Record<"agent" | "user" | "operator", string>>;
  readonly noted: string;
};

/**
 * A conversation over the wire, with a mark in all that agents, users, operators and strangers bring: sections, notes and
 * messages, turns, results and answers.
 */
export async function talkWith(mark: string): Promise<MarkedTalk> {
  const words = `Say this: ${mark} and \`${mark}\` "${mark}".`;
  const loopback = await newLoopback("openai-compatible");
  try {
    const { store, bodies } = loopback;
    await store.agents.put({ name: "ada", charter: "own" });
    const charter = defineCharter({
      name: "own",
      layers: [
        { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "# Law", words: "Be kind." }] },
        {
          name: "wishes",
          mutability: { amendableBy: ["agent", "user", "operator"], scope: "agent" },
          sections: [{ name: "wishes", heading: "# Wishes", original: "Grow." }],
        },
        {
          name: "now",
          mutability: "live",
          sections: [
            { name: "facts", heading: "# Facts", trust: "own", sources: [() => fromText(words)] },
            { name: "mail", heading: "# Mail", trust: "foreign", sources: [() => fromText(words)] },
          ],
        },
      ],
    });
    const scope = { agent: "ada" };
    const readings = { wishes: fromText("Grow."), facts: fromText(words), mail: fromText(words) };
    const change = async (actor: Proposal["actor"]) => {
      const proposal = { section: "wishes", operation: { kind: "rewrite", content: words }, actor } as const;
      const rules = () => ({ guards: usualGuards(charter, readings) });
      const outcome = await store.propose({ charter, scope, rules }, proposal);
      const about = outcome.verdict === "refused" ? outcome.refusals : "inert" in outcome ? (outcome.inert ?? []) : [];
      return `${outcome.verdict}: ${about.map((one) => ("guard" in one ? one.guard : one.what)).join()}`;
    };
    const verdicts = { agent: await change("agent"), user: await change("user"), operator: await change("operator") };
    await store.memory.save(scope, { text: words });
    const tools = [
      tool("look", () => words),
      tool("browse", () => words, { harmless: true }),
      readMemory(),
      saveMemory(),
    ];
    const agent = loopback.agent({ charter, tools });
    const all = (...said: readonly Speech[]): Speech => ({ calls: said.flatMap(({ calls = [] }) => calls) });
    loopback.play(
      all(
        called("c1", "look", { asked: words }),
        called("c2", "browse", {}),
        called("c3", "read_memory", {}),
        called("c4", "save_memory", { content: words }),
      ),
      { text: [words] },
      { text: ["Fine."] },
    );
    await agent.runTurn({ input: words, user: "mia" });
    await agent.runTurn({ input: messageInput([{ id: "m1", sender: mark, body: words }]), user: "mia" });
    const requests = bodies().map((body) => JSON.parse(body) as unknown);
    const sent = requests.flatMap(textsIn);
    const turns = await store.turns.list({ ...scope, limit: 10 });
    const prompts = await Promise.all(
      turns.map(async ({ id }) => (await store.steps.replay(id, 1)).slots.map(({ text }) => text).join("")),
    );
    return { sent, prompts, verdicts, noted: sent.find((text) => /^(?:Saved as|Not saved)/.test(text)) ?? "" };
  } finally {
    await loopback.close();
  }
}

/** Every text in a JSON value; those that are JSON themselves, as the arguments of calls are, also what they say. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") {
    try {
      const inside: unknown = JSON.parse(value);
      return typeof inside === "object" ? [value, ...textsIn(inside)] : [value];
    } catch {
      return [value];
    }
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inside]) => [name, ...textsIn(inside)]);
}
