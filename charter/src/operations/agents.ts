import type { Host } from "../host/host.ts";
import { eitherOf, rethrowUnlessProblem } from "../prompt/problem.ts";
import type { AgentRecord } from "../store/agents.ts";
import { pageOf, readPage } from "../store/home/query.ts";
import type { Store } from "../store/store.ts";
import { noTurns } from "../store/turns/list-turns.ts";
import { facts, operations as setup, wholeAgent } from "./agent-setup.ts";
import { type Caller, reachFor } from "./caller.ts";
import { agent as agentName, either, flag, list, more, number, object, page, text, total, whole } from "./field.ts";
import { operation } from "./operation.ts";
import { columns, pairs, timeText } from "./print/columns.ts";
import { hintsHere } from "./print/command-name.ts";
import { lastDays } from "./turns/cost.ts";

const week = object(
  {
    turns: whole(),
    users: whole("How many different users they were for."),
    cost: number("Of those with a price, in dollars; null where none has one.").nullable(),
    failed: whole(),
    days: list(whole(), "Turns of each of these days (UTC), today last."),
  },
  "The turns that began in the last seven days (UTC), today included.",
);
const row = object({
  ...facts,
  amended: whole("Amended sections."),
  week,
  waiting: whole("How many proposals, calls and tools wait for a person."),
});

/** Agents a caller may talk to, or for an operator all. */
export async function readAgents(
  store: Store,
  caller: Caller,
  about: { readonly removed?: boolean } = {},
): Promise<AgentRecord[]> {
  const { agent } = reachFor(caller, { agent: undefined, user: undefined });
  return (await store.agents.list(about)).filter(({ name }) => agent === undefined || name === agent);
}

const listAgents = operation({
  name: "agents.list",
  says: "List agents",
  about: "By name. Operators get all settings, users the names.",
  route: "GET /agents",
  command: "agents [list]",
  examples: [["charter agents", "list them; --removed: also those that were removed"]],
  who: "person",
  input: {
    ...page,
    removed: flag("For operators: also those that were removed.").optional(),
    query: text("Letters of a name or label, in whatever case.").example("ada").option("letters").optional(),
  },
  answer: object({
    agents: list(either(row, object({ name: facts.name, label: facts.label }))).told(),
    more,
    total,
  }).named("AgentList"),
  run: async (context, { limit, offset, removed = false, query = "" }) => {
    const { store, caller, clock } = context;
    const isOperator = caller.kind === "operator";
    const all = (await readAgents(store, caller, { removed: removed && isOperator })).filter((one) =>
      isCalled(one, query),
    );
    const slice = async (one: Parameters<typeof pageOf>[0]) => {
      const { limit: most, offset: from } = pageOf(one);
      return all.slice(from, from + most);
    };
    const { rows, more } = await readPage(slice, { limit, offset });
    const counted = { more, total: all.length };
    if (!isOperator) return { agents: rows.map(({ name, label }) => ({ name, label })), ...counted };
    const names = rows.map(({ name }) => name);
    const host = await context.host();
    const days = lastDays(clock());
    const [sums, byDay, waiting, amended] = await Promise.all([
      store.turns.sums(names, days[0]),
      store.overview.turnsByDay(names, days[0]),
      store.waiting(),
      store.history.amended(names),
    ]);
    const wholeRow = async (one: AgentRecord) => ({
      ...(await wholeAgent(host, one)),
      amended: amended.get(one.name) ?? 0,
      week: {
        ...(sums.get(one.name) ?? noTurns),
        days: days.map((day) => byDay.get(one.name)?.get(day) ?? 0),
      },
      waiting: waiting.get(one.name) ?? 0,
    });
    return { agents: await Promise.all(rows.map(wholeRow)), ...counted };
  },
  lines: ({ agents }) => {
    const rows = agents.filter((one) => "charter" in one);
    if (rows.length === 0)
      return [hintsHere("There is no agent here. Add one: charter agents add ada --charter assistant")];
    const isLabelled = rows.some((one) => one.label !== undefined);
    const cells = rows.map((one) => [
      one.name,
      ...(isLabelled ? [one.label ?? "–"] : []),
      one.charter,
      modelsText(one),
      one.removedAt === undefined ? (one.frozen ?? "–") : `removed ${one.removedAt.slice(0, 10)}`,
      String(one.amended),
    ]);
    const names = ["agent", ...(isLabelled ? ["label"] : []), "charter", "model", "frozen", "amended sections"];
    return columns(names, cells, process.stdout);
  },
});

const answersWithField = object(
  {
    model: text("As provider/model; null where none can be asked.").nullable(),
    standIn: flag("A script answers in a model's place."),
    hint: text("Of a stand-in: how to get a real model.").optional(),
    problem: object({ code: text(), message: text(), hint: text() }).optional(),
  },
  "Who answers its next turn: its own model, or the server's default.",
);

const showAgent = operation({
  name: "agents.show",
  says: "Get an agent's settings",
  route: "GET /agents/{agent}",
  command: "agents show <agent?>",
  examples: [["charter agents show ada", "print one with all its settings"]],
  who: "operator",
  input: { agent: agentName },
  answer: object({
    ...facts,
    sections: list(object({ section: text(), revision: whole() }), "Those that were ever amended, and how often."),
    answersWith: answersWithField,
  }).named("AgentWithSections"),
  run: async ({ store, host, service }, { agent: name }) => {
    const record = await store.agents.get(name);
    const sections = await store.history.sections({ agent: record.name });
    const here = await host();
    return {
      ...(await wholeAgent(here, record)),
      sections,
      answersWith: await answersWith(here, record, service.demo !== undefined),
    };
  },
  lines: (one) => {
    const amended = one.sections.map(({ section, revision }) => `${section} (revision ${revision})`).join(", ");
    const rows: [string, string][] = [
      ["agent", one.name],
      ...(one.label === undefined ? [] : [["label", one.label] as [string, string]]),
      ["charter", one.charter],
      ["model", modelsText(one)],
      ["frozen", one.frozen ?? "–"],
      ["added", `${timeText(one.createdAt)} UTC`],
      ["changed", `${timeText(one.updatedAt)} UTC`],
      ["amended", amended || "–"],
      ["settings", JSON.stringify(one.settings)],
    ];
    return pairs(rows, process.stdout);
  },
});

const listUsers = operation({
  name: "agents.users",
  says: "List an agent's users",
  about: "Everyone who has turns, texts, notes, chats or schedules with it, by id.",
  route: "GET /agents/{agent}/users",
  command: "agents users <agent?>",
  who: "operator",
  input: { agent: agentName, ...page },
  answer: object({ users: list(text()), more, total }).named(
    "AgentUsers",
    "All users that the agent has data of, by id.",
  ),
  run: async ({ store }, { agent: name, ...asked }) => {
    await store.agents.get(name);
    const { rows, more } = await readPage((one) => store.users.ofAgent(name, one), asked);
    return { users: rows, more, total: await store.users.countOfAgent(name) };
  },
  lines: ({ users }) => (users.length === 0 ? ["It has none yet."] : users),
});

function isCalled({ name, label = "" }: AgentRecord, letters: string): boolean {
  return [name, label].some((one) => one.toLowerCase().includes(letters.trim().toLowerCase()));
}

/** Lists the models that answer, in the order they are asked. */
function modelsText({
  model,
  fallbacks = [],
}: {
  model: string | null;
  fallbacks?: readonly string[] | undefined;
}): string {
  return model === null ? "–" : [model, ...fallbacks].join(", ");
}

/** Finds the model that would be asked now; if none can be, the reason. */
async function answersWith({ modelOf }: Host, one: AgentRecord, isDemo: boolean) {
  const { isStandInName, keyVariables } = await import("../delivery/models/provider.ts");
  try {
    const { name } = (await modelOf(one.name)).receiver;
    if (!isStandInName(name)) return { model: name, standIn: false };
    // A demo has no model but the stand-in, so no hint to set a key.
    if (isDemo) return { model: name, standIn: true };
    const keys = `Set ${eitherOf(keyVariables)} where the server runs, and start it again.`;
    return { model: name, standIn: true, hint: one.model === null ? keys : "Choose another in its settings." };
  } catch (error) {
    rethrowUnlessProblem(error);
    const { code, message, hint } = error;
    return { model: null, standIn: false, problem: { code, message, hint } };
  }
}

export const operations = [listAgents, showAgent, listUsers, ...setup];
