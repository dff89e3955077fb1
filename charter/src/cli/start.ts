import { assistantFromFacts, exampleSoul } from "../charters/assistant.ts";
import { factsOf } from "../charters/facts.ts";
import { loadTokenizer } from "../delivery/tokenizer.ts";
import { noMoreWords, parseOptions } from "./options.ts";
import { promptOf } from "./show.ts";
import { table } from "./table.ts";

/** The demo assistant, until there is a server to start: its prompt, and the table of its sections. */
export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = parseOptions("start", args, {});
  noMoreWords("start", positionals);
  const given = assistantFromFacts(factsOf(demoFacts), () => new Date());
  const prompt = await promptOf(given, {});
  process.stdout.write(`${prompt.text}\n\n${table(prompt, await loadTokenizer("o200k_base"), process.stdout)}`);
  return 0;
}

const demoFacts = {
  agent: "demo",
  user: "you",
  channel: "web",
  identity: { name: "Ada", vibe: "Calm, direct, a little dry.", description: "a personal operations assistant" },
  standing: { soul: exampleSoul, instructions: "Always answer in bullet points." },
  tools: ["read_memory", "save_memory", "update_instructions"],
};
