import type { McpServerState } from "../../../agent/mcp/mcp-tools.ts";
import { createLearnedWindows, isWindow, keptWindow, type ResolvedWindow } from "../../../agent/turn/window.ts";
import { factsOf } from "../../../charters/facts.ts";
import { findProgram } from "../../../delivery/acp/agent-process.ts";
import type { ModelTable } from "../../../delivery/models/model-entry.ts";
import { probeModel } from "../../../delivery/models/probe.ts";
import { type Environment, modelAddress, standInName } from "../../../delivery/models/provider.ts";
import { splitModelName } from "../../../delivery/receiver.ts";
import { serversIn } from "../../../host/agent-mcp.ts";
import type { Host } from "../../../host/host.ts";
import { agentCharter, type CharterSources } from "../../../host/load.ts";
import { priceNotices, receiverNamed, type SpendingLimit } from "../../../host/models/host-models.ts";
import { unknownAgent } from "../../../host/models/model-names.ts";
import { findSection, sectionScope } from "../../../prompt/charter.ts";
import { listed, rethrowUnlessProblem } from "../../../prompt/problem.ts";
import { sharedSentences } from "../../../prompt/shared-text.ts";
import type { Config } from "../../../server/config.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Checkup } from "../../../store/home/database.ts";
import type { SharedRevision } from "../../../store/lifecycle/shared-revisions.ts";
import { isCounterpart } from "../../../store/scope.ts";
import type { OverdueWork, Store } from "../../../store/store.ts";
import { type Here, isUntrusted } from "../../shared/trust/here.ts";
import { checkCharterFile } from "../../shared/trust/trusted-database.ts";

/** Maximum number of an agent's users that are checked; `charter verify` checks all. */
const maxUsers = 500;
/** Maximum number of rows that are counted. */
const maxRows = 1000;

/** Checks a store, agent by agent: texts that are not used, and approvals that wait. */
export async function checkAgents(store: Store, places: CharterSources): Promise<Checkup[]> {
  const agents = await store.agents.list();
  if (agents.length === 0) return [{ what: "No agent yet: `charter agents add` makes one.", fine: true }];
  const standing: Checkup[] = [];
  for (const agent of agents) standing.push(...(await checkStanding(store, agent, places)));
  const used = { what: `The current texts of ${counted(agents.length, "agent")} are used.`, fine: true };
  const words: Checkup[] = standing.every(({ fine }) => fine) ? [used, ...standing] : standing;
  const frozen = agents.filter((agent) => agent.frozen !== null).map(checkFrozen);
  return [
    ...words,
    ...frozen,
    ...(await checkShared(store)),
    ...(await checkHeld(store)),
    ...(await checkDead(store, agents)),
  ];
}

/** Names the text that all users read, came of a user's turn, and was approved by nobody. */
export async function checkShared(store: Pick<Store, "sharedRevisions">): Promise<Checkup[]> {
  const found = (await store.sharedRevisions()).filter(
    ({ stands, approved, user }) => stands && !approved && !isCounterpart(user),
  );
  const places = Map.groupBy(found, ({ agent, section, user }) => JSON.stringify([agent, section, user]));
  return [...places.values()].map((some) => {
    const { agent, section, user, at } = some[0] as SharedRevision;
    const revisions = `revision${some.length === 1 ? "" : "s"} ${some.map(({ revision }) => revision).join(", ")}`;
    const what = `All users of “${agent}” read words of “${section}” that came of turns of “${user}” (${revisions}, since ${at.slice(0, 10)}).`;
    const hint = `See them with \`charter history --agent ${agent} ${section}\`; take them out with \`charter revert\` or \`charter amend\`, or with \`charter erase --user ${user} --shared\`.`;
    return { what, fine: false, hint };
  });
}

async function checkStanding(
  store: Store,
  { name, charter, settings }: AgentRecord,
  { charters, sources }: CharterSources,
): Promise<Checkup[]> {
  try {
    await checkCharterFile(store, { name, charter });
    const { given: fromFacts } = await agentCharter({ name, charter }, { store, charters, sources });
    const declaredTurn = await fromFacts(factsOf({ ...settings, agent: name }), () => new Date());
    const shared = sharedSentences(declaredTurn.charter);
    const checkups: Checkup[] = shared.map((says) => ({ what: `“${name}”: ${says}`, fine: true }));
    const users = await store.standings.users(name, { limit: maxUsers });
    for (const scope of [{ agent: name }, ...users.map((user) => ({ agent: name, user }))]) {
      const standing = await store.standings.read(declaredTurn.charter, scope, declaredTurn.fault);
      // A user's standings include the agent's own sections, which were checked already.
      const own = Object.entries(standing).filter(([name]) => {
        const { section, layer } = findSection(declaredTurn.charter, name);
        return (sectionScope(section, layer) === "user") === "user" in scope;
      });
      const notices = own.flatMap(([, one]) => ("notices" in one ? (one.notices ?? []) : []));
      const owner = "user" in scope ? `“${name}”, for “${scope.user}”` : `“${name}”`;
      const hint = `charter history --agent ${name}${"user" in scope ? ` --user ${scope.user}` : ""} <section>, then revert or amend it; charter verify names what was changed.`;
      for (const { message } of notices) checkups.push({ what: `${owner}: ${message}`, fine: false, hint });
    }
    return checkups;
  } catch (error) {
    rethrowUnlessProblem(error);
    return [{ what: `“${name}” cannot be used: ${error.message}`, fine: false, hint: error.hint }];
  }
}

function checkFrozen({ name, frozen }: AgentRecord): Checkup {
  const what = frozen === "agent" ? `“${name}” is frozen.` : `All amendments of “${name}” are frozen.`;
  return { what, fine: false, hint: `Undo it with \`charter thaw ${name}\`.` };
}

async function checkHeld(store: Store): Promise<Checkup[]> {
  const [held, calls] = [await store.held.list({ limit: maxRows }), await store.calls.list({ limit: maxRows })];
  const waiting = (rows: readonly { readonly at: string }[], word: string): Checkup[] => {
    if (rows.length === 0) return [];
    const what = `${counted(rows.length, word)} ${rows.length === 1 ? "waits" : "wait"} for a person, since ${rows[0]?.at.slice(0, 10)}.`;
    return [{ what, fine: false, hint: "See them with `charter approvals`, and approve or reject each." }];
  };
  return [...waiting(held, "proposal"), ...waiting(calls, "tool call")];
}

async function checkDead(store: Store, agents: readonly AgentRecord[]): Promise<Checkup[]> {
  const checkups: Checkup[] = [];
  for (const { name } of agents) {
    const dead = await store.inbox.list(name, "dead", { limit: maxRows });
    if (dead.length === 0) continue;
    const [first] = dead;
    const reason = first?.failures.at(-1)?.because ?? "unknown reason";
    const what = `${counted(dead.length, "message")} to “${name}” could not be answered, the first “${first?.id}”: ${reason}.`;
    const hint = `Fix the cause, then \`charter inbox retry ${name} <id>\`; or \`charter inbox discard ${name} <id>\`.`;
    checkups.push({ what, fine: false, hint });
  }
  return checkups;
}

function counted(number: number, word: string): string {
  return `${number >= maxRows ? `${maxRows} or more` : number} ${word}${number === 1 ? "" : "s"}`;
}

/** Asks the MCP servers that agents name: which cannot be used and why, and which of their tools wait for approval. */
export async function checkMcp(store: Pick<Store, "agents">, open: () => Promise<Host>): Promise<Checkup[]> {
  const agents = (await store.agents.list()).filter(({ settings }) => serversIn(settings).length > 0);
  if (agents.length === 0) return [];
  const host = await open();
  try {
    return (await Promise.all(agents.map((agent) => checkServers(agent, host)))).flat();
  } finally {
    await host.close(0);
  }
}

async function checkServers({ name, settings }: AgentRecord, host: Host): Promise<Checkup[]> {
  try {
    const states = await host.mcpServers(name);
    return serversIn(settings).flatMap((server) => {
      const state = states.find((one) => one.server === server);
      return state ? checkServer(name, state) : [unknownServer(name, server)];
    });
  } catch (error) {
    rethrowUnlessProblem(error);
    return [{ what: `“${name}” has no MCP server: ${error.message}`, fine: false, hint: error.hint }];
  }
}

function unknownServer(agent: string, server: string): Checkup {
  return {
    what: `“${agent}” names the MCP server “${server}”, which is not in charter.config.ts here.`,
    fine: false,
    hint: `Describe it there under “mcp”, or take it out of the agent's settings: docs/mcp.md.`,
  };
}

function checkServer(agent: string, { server, unavailable, pins, unusable }: McpServerState): Checkup[] {
  if (unavailable !== undefined)
    return [
      {
        what: `“${agent}”: the MCP server “${server}” is unavailable: ${unavailable}.`,
        fine: false,
        hint: `Fix mcp.${server} in charter.config.ts, or start what it names. Until then calls of its tools fail.`,
      },
    ];
  const of = (status: (typeof pins)[number]["status"]) =>
    pins.filter((pin) => pin.status === status).map(({ tool }) => tool);
  const [offered, waiting] = [of("pinned"), of("waiting")];
  return [
    {
      what: `“${agent}” is offered ${offered.length} of the ${pins.length + unusable.length} tools of the MCP server “${server}”.`,
      fine: true,
    },
    ...(waiting.length === 0
      ? []
      : [
          {
            what: `“${agent}”: ${listed(waiting)} of the MCP server “${server}” ${waiting.length === 1 ? "waits" : "wait"} for a person, and ${waiting.length === 1 ? "is" : "are"} not offered.`,
            fine: false,
            hint: "See what changed with `charter approvals`, and approve or reject each.",
          },
        ]),
    ...unusable.map(({ tool, because }) => ({
      what: `“${agent}”: “${tool.slice(0, 64)}” of the MCP server “${server}” is not offered: ${because}.`,
      fine: true,
    })),
  ];
}

/** Milliseconds after which something that waits counts as overdue: nobody is there to take it. */
const overdueMs = 5 * 60_000;
/** Milliseconds for which failures are reported: a week, after that they are history. */
const weekMs = 7 * 86_400_000;

/**
 * Checks what a service of many users left undone: schedules that do not run, messages that are not taken or sent, and what was
 * given up.
 */
export async function checkOverdue({ work }: Pick<Store, "work">, now: Date): Promise<Checkup[]> {
  const before = (ms: number) => new Date(now.getTime() - ms).toISOString();
  const overdue = await work.overdue({ late: before(overdueMs), since: before(weekMs) });
  const checkups = words.flatMap(([kind, one, several, end, hint]) => {
    const { count, since, because } = overdue[kind];
    if (count === 0) return [];
    const says = end
      .replace("{since}", `${(since ?? "").slice(0, 16).replace("T", " ")} UTC`)
      .replace("{because}", () => because ?? "nobody tried.");
    return [{ what: `${count} ${count === 1 ? one : several} ${says}`, fine: false, hint }];
  });
  if (checkups.length > 0 || !overdue.expected) return checkups;
  return [{ what: "Schedules are on time, and no message waits to be answered or sent.", fine: true }];
}

const start = "No process runs them: start `charter start` or `charter work`.";

/** Kind of work, in the singular, in the plural, the end of the sentence, and a hint. */
const words: readonly (readonly [Exclude<keyof OverdueWork, "expected">, string, string, string, string])[] = [
  ["schedules", "schedule is", "schedules are", "overdue, since {since}.", start],
  ["runs", "run waits,", "runs wait,", "since {since}.", start],
  [
    "failedRuns",
    "run of a schedule",
    "runs of schedules",
    "failed within a week, the last: {because}",
    "See them with `charter schedules runs`.",
  ],
  [
    "updates",
    "message waits",
    "messages wait",
    "to be answered, since {since}.",
    "Is the bot running? See docs/telegram.md.",
  ],
  [
    "failedUpdates",
    "message",
    "messages",
    "could not be answered within a week, the last: {because}",
    "See what was tried with `charter turns`; whoever wrote was told, and may write again.",
  ],
  [
    "dispatches",
    "message waits",
    "messages wait",
    "to be sent, since {since}: {because}",
    "Is the bot running, and can it reach Telegram? See docs/telegram.md.",
  ],
  [
    "failedDispatches",
    "message",
    "messages",
    "could not be sent within a week, the last: {because}",
    "A chat that blocked the bot or is gone can be linked anew: `charter users link`.",
  ],
];

/** Models known here: those of the settings, the default one, and who may spend what on them. */
type KnownModels = {
  readonly models: ModelTable;
  /** Model of agents that name none. */
  readonly usual: string;
  readonly agents: readonly AgentRecord[];
  readonly limits: readonly SpendingLimit[];
};

/** Asks every model for one word, which costs as much, and reports what is wrong. */
export async function askModels(here: Here, { models, usual, agents, limits }: KnownModels): Promise<Checkup[]> {
  // No model is asked while settings here wait for trust; another check reports those.
  const env = await here.environmentForModels().catch(isUntrusted);
  if (env === undefined) return [];
  const namedModels = agents.flatMap(({ model, fallbacks, settings }) => [
    model ?? usual,
    ...(fallbacks ?? []),
    settings.secondOpinion,
  ]);
  const { memory } = await here.trustedSettings();
  const names = new Set<unknown>([...Object.keys(models), ...(agents.length === 0 ? [usual] : []), ...namedModels]);
  // A model for embeddings gives no answers.
  names.delete(memory?.embed);
  const limited = new Set(limits.map(({ model }) => model));
  const probes = [...names]
    .filter((name): name is string => typeof name === "string" && !name.startsWith("acp/"))
    .map((name) => {
      if (name === standInName || name === "stand-in") return [standIn];
      return probeModel(name, { env, models, limited: limited.has(name) });
    });
  return (await Promise.all(probes)).flat();
}

const standIn: Checkup = {
  what: `“${standInName}” is a script, and no model: it answers to whoever names no model, while no key is set.`,
  fine: true,
  hint: "docs/models.md says how a model is connected.",
};

/** Finds spending limits that cannot be kept because a price is unknown. No model is asked. */
export function checkPrices(limits: readonly SpendingLimit[]): Checkup[] {
  return priceNotices(limits).map(({ message }) => {
    const [what = message, hint] = message.split(/(?<=refused\.) /);
    return { what, fine: false, ...(hint === undefined ? {} : { hint }) };
  });
}

/** Reports the window of each agent, and how it is known. No server is asked. */
export async function checkWindows(
  store: Store,
  env: Environment,
  { models, usual }: Pick<KnownModels, "models" | "usual">,
): Promise<Checkup[]> {
  const windows = createLearnedWindows(store, () => new Date());
  const checkups: Checkup[] = [];
  for (const agent of await store.agents.list()) {
    const name = agent.model ?? usual;
    const receiver = receiverIn(name, models);
    // An agent over ACP manages its own context; an unknown model is reported by the agent's turns.
    if (!receiver) continue;
    const address = modelAddress(name, { env, models });
    const namedWindow = { window: isWindow(agent.settings.window) ? agent.settings.window : undefined };
    const resolved = await keptWindow({
      model: { receiver, ...(address ? { address } : {}) },
      windows,
      asked: namedWindow,
    });
    checkups.push({ what: windowLine(agent, name, resolved), fine: true });
  }
  return checkups;
}

function receiverIn(name: string, models: ModelTable) {
  try {
    return receiverNamed(name, models);
  } catch (error) {
    rethrowUnlessProblem(error);
    return undefined;
  }
}

const windowSources: Readonly<Record<ResolvedWindow["how"], string>> = {
  set: "as its settings say",
  known: "as is known of the model",
  asked: "as its server told",
  said: "as its server said when a request was too long",
  guessed: "a guess, since its server refused more and did not say how much it takes",
  unknown: "",
};

function windowLine({ name }: AgentRecord, model: string, { window, how }: ResolvedWindow): string {
  if (window === null)
    return `“${name}”: how many tokens ${model} takes is not known yet; the first request that is too long teaches it.`;
  return `“${name}”: requests to ${model} have at most ${window.toLocaleString("en")} tokens, ${windowSources[how]}.`;
}

type Entries = NonNullable<Config["acp"]>;

/** Checks agents over ACP: whether they are configured, can be started, and are served. */
export async function checkAcp(
  store: Pick<Store, "agents">,
  read: () => Promise<Config["acp"]>,
  PATH: string | undefined,
): Promise<Checkup[]> {
  const agents = (await store.agents.list()).filter(({ model }) => splitModelName(model ?? "").provider === "acp");
  if (agents.length === 0) return [];
  try {
    const entries = (await read()) ?? {};
    return agents.map((agent) => checkOne(agent, entries, PATH));
  } catch (error) {
    rethrowUnlessProblem(error);
    return agents.map(({ name, model }) => ({
      what: `“${name}” cannot be asked: its model is ${model}. ${error.message}`,
      fine: false,
      hint: error.hint,
    }));
  }
}

function checkOne({ name, model }: AgentRecord, entries: Entries, PATH: string | undefined): Checkup {
  const { model: program } = splitModelName(model ?? "");
  const entry = Object.hasOwn(entries, program) ? entries[program] : undefined;
  if (!entry) {
    const { message, hint } = unknownAgent(model ?? "", Object.keys(entries));
    return { what: `“${name}” cannot be asked: ${message}`, fine: false, hint };
  }
  const [command = ""] = entry.command;
  const programPath = findProgram(command, entry.env?.PATH ?? PATH, entry.cwd ?? process.cwd());
  if (programPath === undefined)
    return {
      what: `“${name}” cannot be asked: there is no program “${command}” for its model ${model}.`,
      fine: false,
      hint: `Install it, or name another as the command of acp.${program} in charter.config.ts, by its whole path if it is not on PATH.`,
    };
  const served = entry.served
    ? "it is served, so users' turns use its tools, with the rights of the service"
    : "it is not served: chat, editors and schedules of the operator's own use it";
  return { what: `“${name}” answers with ${model}, the program ${programPath}; ${served}.`, fine: true };
}
