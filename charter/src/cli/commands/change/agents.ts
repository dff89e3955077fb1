import { Problem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import { pageOf } from "../../../store/home/page.ts";
import { noTurns, weekBefore } from "../../../store/turns/list/turn-sums.ts";
import { columns, pairs, timeText } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { morePages, pageOptions, pageValues, readPage } from "../../shared/page.ts";
import { withStore } from "../../shared/store.ts";
import { agentTraits } from "./agent-facts.ts";
import { type AgentsValues, agentsOptions } from "./agents-options.ts";

const setUp = ["charter", "model", "settings", "second-opinion", "label", "relay", "owner", "key", "new-key"] as const;
const common = ["database", "json"];
const paged = [...common, ...Object.keys(pageOptions)];

/** What can be done, and which options each takes. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  list: [...paged, "all"],
  show: paged,
  add: [...common, ...setUp],
  create: [...common, ...setUp],
  set: [...common, ...setUp, "replace"],
  label: common,
  remove: [...common, "output", "erase", "yes"],
};

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("agents", args, agentsOptions);
  const [verb = "list", name, ...others] = positionals;
  const takes = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!takes)
    throw new Problem(
      "usage",
      `charter agents does not understand “${verb}”.`,
      "Say list, add, set, label, show or remove.",
    );
  const extra = Object.keys(values).find((option) => !takes.includes(option));
  if (extra !== undefined)
    throw new Problem("usage", `charter agents ${verb} does not take --${extra}.`, "See charter agents --help.");
  if (verb === "list") {
    noMoreWords("agents", positionals.slice(1));
    return list(values);
  }
  if (name === undefined)
    throw new Problem("usage", `charter agents ${verb} needs a name.`, "See charter agents --help.");
  if (verb === "label") return label(name, others, values);
  noMoreWords("agents", others);
  if (verb === "show") return show(name, values);
  if (verb === "remove") return (await import("./remove-agent.ts")).removeAgent(name, values);
  const { addAgent, setAgent } = await import("./set-agent.ts");
  return verb === "set" ? setAgent(name, values) : addAgent(name, values);
}

async function label(name: string, words: readonly string[], values: AgentsValues): Promise<number> {
  const [given, ...more] = words;
  if (given === undefined)
    throw new Problem("usage", "charter agents label needs a label.", 'Give it in quotes; "" takes it away.');
  noMoreWords("agents", more);
  return withStore(values, async (store) => {
    const agent = await store.agents.label(name, given === "" ? null : given);
    const told =
      agent.label === undefined ? `“${name}” has no label any more.` : `“${name}” is called “${agent.label}” now.`;
    process.stdout.write(values.json ? `${JSON.stringify(agent)}\n` : `${told}\n`);
    return 0;
  });
}

async function list(values: AgentsValues): Promise<number> {
  const page = pageValues(values);
  return withStore(values, async (store) => {
    const all = await store.agents.list({ removed: values.all === true });
    const { rows, more } = await readPage(async (asked) => {
      const { limit, offset } = pageOf(asked);
      return all.slice(offset, offset + limit);
    }, page);
    const amended = await store.history.amended(rows.map(({ name }) => name));
    const agents = rows.map((agent) => ({ ...agent, amended: amended.get(agent.name) ?? 0 }));
    const whole = async () => {
      const names = rows.map(({ name }) => name);
      const sums = await store.turns.sums(names, weekBefore(new Date()));
      const waiting = await store.waiting();
      const facts = (name: string) => ({ week: sums.get(name) ?? noTurns, waiting: waiting.get(name) ?? 0 });
      return Promise.all(
        agents.map(async (one) => ({ ...one, ...(await agentTraits(store, one)), ...facts(one.name) })),
      );
    };
    if (values.json) process.stdout.write(`${JSON.stringify({ agents: await whole(), more, total: all.length })}\n`);
    else if (rows.length === 0)
      process.stdout.write(hintsHere("There is no agent here. Add one: charter agents add ada --charter assistant\n"));
    else {
      const labelled = agents.some((agent) => agent.label !== undefined);
      const cells = agents.map((agent) => [
        agent.name,
        ...(labelled ? [agent.label ?? "–"] : []),
        agent.charter,
        modelsText(agent),
        agent.removedAt === undefined ? (agent.frozen ?? "–") : `removed ${agent.removedAt.slice(0, 10)}`,
        String(agent.amended),
      ]);
      const names = ["agent", ...(labelled ? ["label"] : []), "charter", "model", "frozen", "amended sections"];
      process.stdout.write(`${[...columns(names, cells, process.stdout), ...morePages(more, page)].join("\n")}\n`);
    }
    return 0;
  });
}

async function show(name: string, values: AgentsValues): Promise<number> {
  return withStore(values, async (store) => {
    const agent = await store.agents.get(name);
    const sections = await store.history.sections({ agent: name });
    if (values.json)
      process.stdout.write(`${JSON.stringify({ ...agent, ...(await agentTraits(store, agent)), sections })}\n`);
    else {
      const amended = sections.map(({ section, revision }) => `${section} (revision ${revision})`).join(", ");
      const rows: [string, string][] = [
        ["agent", agent.name],
        ...(agent.label === undefined ? [] : [["label", agent.label] as [string, string]]),
        ["charter", agent.charter],
        ["model", modelsText(agent)],
        ["frozen", agent.frozen ?? "–"],
        ["added", `${timeText(agent.createdAt)} UTC`],
        ["changed", `${timeText(agent.updatedAt)} UTC`],
        ["amended", amended || "–"],
        ["settings", JSON.stringify(agent.settings)],
      ];
      process.stdout.write(`${pairs(rows, process.stdout).join("\n")}\n`);
    }
    return 0;
  });
}

/** The models it is answered by, in the order they are asked. */
function modelsText({ model, fallbacks = [] }: AgentRecord): string {
  return model === null ? "–" : [model, ...fallbacks].join(", ");
}
