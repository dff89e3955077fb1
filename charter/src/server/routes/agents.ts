import { createRoute, z } from "@hono/zod-openapi";
import { isStandInName, keyVariables } from "../../delivery/models/provider.ts";
import { checkAgentSettings } from "../../host/agent-settings.ts";
import type { Host } from "../../host/host.ts";
import { isCharterFile } from "../../host/load.ts";
import { modelFields, modelNames } from "../../host/models/model-list.ts";
import { checkSettings, mergeSettings } from "../../host/settings.ts";
import type { Notice } from "../../prompt/notice.ts";
import { eitherOf, Problem } from "../../prompt/problem.ts";
import { checkAgentName } from "../../store/agent-name.ts";
import type { AgentRecord } from "../../store/agents.ts";
import { pageOf, readPage } from "../../store/home/page.ts";
import { noTurns, weekBefore } from "../../store/turns/list/turn-sums.ts";
import type { Routes } from "../api.ts";
import { agentVersion } from "../http/agent-version.ts";
import { checkOperator, checkPerson } from "../http/caller.ts";
import { agent, agentChange, agentList, agentNames, agentWithSections, newAgent } from "../schemas/agent.ts";
import { agentPath } from "../schemas/name.ts";
import { page } from "../schemas/page.ts";
import { body, json, problems } from "../schemas/response.ts";
import { agentUsers } from "../schemas/user.ts";
import { wholeAgent } from "./agent-view.ts";

const tags = ["agents"];
const params = z.object(agentPath);
const removed = z
  .enum(["true", "false"])
  .optional()
  .openapi({ description: "For operators: also those that were removed." });

const query = z
  .string()
  .optional()
  .openapi({ description: "Letters of a name or label, in whatever case.", example: "ada" });

export const agentRoutes: Routes = (api, { host, demo }) => {
  const { store, clock } = host;
  const whole = (one: AgentRecord) => wholeAgent(host, one);
  /** One that it had before is not refused now: what is wrong with it is told where it is used. */
  const checkModels = async (names: readonly string[], before: readonly (string | null)[] = []) => {
    for (const name of names) if (!before.includes(name)) await host.knownModels.check(name);
  };

  const listing = createRoute({
    method: "get",
    path: "/agents",
    tags,
    summary: "List agents",
    description: "Operators get all settings, users the names.",
    request: { query: z.strictObject({ ...page, removed, query }) },
    responses: { 200: json(z.union([agentList, agentNames]), "The agents, by name."), ...problems() },
  });
  api.openapi(listing, async (context) => {
    const caller = context.get("caller");
    checkPerson(caller, "seeing the agents");
    const known = caller.kind === "user" ? caller.agent : undefined;
    const { removed: also, query: letters = "", ...asked } = context.req.valid("query");
    const listed = await store.agents.list({ removed: also === "true" && caller.kind === "operator" });
    const all = listed.filter((one) => (known === undefined || one.name === known) && isCalled(one, letters));
    const { rows, more } = await readPage(async (one) => {
      const { limit, offset } = pageOf(one);
      return all.slice(offset, offset + limit);
    }, asked);
    if (caller.kind === "user") {
      const agents = rows.map(({ name, label }) => ({ name, ...(label === undefined ? {} : { label }) }));
      return context.json({ agents, more, total: all.length }, 200);
    }
    const since = weekBefore(clock());
    const names = rows.map(({ name }) => name);
    const [sums, waiting, amended] = await Promise.all([
      store.turns.sums(names, since),
      store.waiting(),
      store.history.amended(names),
    ]);
    const agents = await Promise.all(
      rows.map(async (one) => ({
        ...(await whole(one)),
        amended: amended.get(one.name) ?? 0,
        week: sums.get(one.name) ?? noTurns,
        waiting: waiting.get(one.name) ?? 0,
      })),
    );
    return context.json({ agents, more, total: all.length }, 200);
  });

  const adding = createRoute({
    method: "post",
    path: "/agents",
    tags,
    summary: "Add an agent",
    request: { body: body(newAgent) },
    responses: { 201: json(agent, "The agent."), ...problems(404, 409, 413, 415) },
  });
  api.openapi(adding, async (context) => {
    checkOperator(context.get("caller"), "adding agents");
    const { name, charter, model = null, settings: given = {}, label = null } = context.req.valid("json");
    checkAgentName(name);
    checkNoFile(charter);
    const asked = { name, charter, settings: mergeSettings({}, checkSettings(given)), given, models: host.models };
    await host.checkMcpServers(given);
    await checkModels(modelNames(model));
    const { settings, notices } = await checkAgentSettings(asked, clock);
    const added = await store.agents.add({ name, charter, ...modelFields(model), settings, label });
    return context.json(told(await whole(added), notices), 201);
  });

  const showing = createRoute({
    method: "get",
    path: "/agents/{agent}",
    tags,
    summary: "Get an agent's settings",
    request: { params },
    responses: { 200: json(agentWithSections, "The agent."), ...problems(404) },
  });
  api.openapi(showing, async (context) => {
    checkOperator(context.get("caller"), "seeing how agents are set up");
    const found = await store.agents.get(context.req.valid("param").agent);
    const sections = await store.history.sections({ agent: found.name });
    return context.json(
      { ...(await whole(found)), sections, answersWith: await answersWith(host, found, demo !== undefined) },
      200,
    );
  });

  const knowing = createRoute({
    method: "get",
    path: "/agents/{agent}/users",
    tags,
    summary: "List an agent's users",
    description: "Everyone who has turns, texts, notes, chats or schedules with it.",
    request: { params, query: z.strictObject(page) },
    responses: { 200: json(agentUsers, "By id."), ...problems(404) },
  });
  api.openapi(knowing, async (context) => {
    checkOperator(context.get("caller"), "seeing users");
    const { name } = await store.agents.get(context.req.valid("param").agent);
    const { rows, more } = await readPage((one) => store.users.ofAgent(name, one), context.req.valid("query"));
    return context.json({ users: rows, more, total: await store.users.countOfAgent(name) }, 200);
  });

  const changing = createRoute({
    method: "patch",
    path: "/agents/{agent}",
    tags,
    summary: "Change an agent's settings",
    request: { params, body: body(agentChange) },
    responses: {
      200: json(agent, "The agent; its next prompt uses the new settings."),
      ...problems(404, 409, 413, 415),
    },
  });
  api.openapi(changing, async (context) => {
    checkOperator(context.get("caller"), "changing agents");
    const { version, ...change } = context.req.valid("json");
    if (Object.keys(change).length === 0)
      throw new Problem("usage", "Nothing to change was given.", "Give charter, model, settings or label.");
    const { replace = false, label } = change;
    if (replace && change.settings === undefined)
      throw new Problem("usage", "“replace” needs settings, and none were given.", "Give settings.");
    const { agent: name } = context.req.valid("param");
    let notices: readonly Notice[] = [];
    const changed = await store.agents.update(name, async (before) => {
      if (version !== undefined && version !== agentVersion(before)) throw staleAgent(name);
      const { charter = before.charter, model = before.model, settings: given = {} } = change;
      await checkModels(modelNames(model), [before.model, ...(before.fallbacks ?? [])]);
      // The first alone says nothing of those behind it.
      const models = model === before.model ? { model } : modelFields(model);
      if (charter !== before.charter) checkNoFile(charter);
      // Whether a file may be run is the host's to say, before it is.
      else if (isCharterFile(charter)) await host.snapshot({ agent: name });
      const merged = mergeSettings(replace ? {} : before.settings, checkSettings(given));
      await host.checkMcpServers(given);
      const checked = await checkAgentSettings({ name, charter, settings: merged, given, models: host.models }, clock);
      notices = checked.notices;
      return { charter, ...models, settings: checked.settings, ...(label === undefined ? {} : { label }) };
    });
    return context.json(told(await whole(changed), notices), 200);
  });
};

function isCalled({ name, label = "" }: AgentRecord, letters: string): boolean {
  return [name, label].some((one) => one.toLowerCase().includes(letters.trim().toLowerCase()));
}

/** The model that would be asked now; where none can be, why. */
async function answersWith({ modelOf }: Host, agent: AgentRecord, isDemo: boolean) {
  try {
    const { name } = (await modelOf(agent.name)).receiver;
    if (!isStandInName(name)) return { model: name, standIn: false };
    // A demo has no other.
    if (isDemo) return { model: name, standIn: true };
    const keys = `Set ${eitherOf(keyVariables)} where the server runs, and start it again.`;
    return { model: name, standIn: true, hint: agent.model === null ? keys : "Choose another in its settings." };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, hint } = error;
    return { model: null, standIn: false, problem: { code, message, hint } };
  }
}

function told<Agent extends object>(one: Agent, notices: readonly Notice[]) {
  return { ...one, ...(notices.length === 0 ? {} : { notices }) };
}

function staleAgent(name: string): Problem {
  return new Problem(
    "stale",
    `The settings of “${name}” were changed since you read them. Nothing was saved.`,
    "Read them again, and make your change on top of them.",
  );
}

/** Whoever has an operator's token need not have the machine. */
function checkNoFile(charter: string): void {
  if (!isCharterFile(charter)) return;
  throw new Problem(
    "not-allowed",
    `The charter “${charter}” is a file, which is code: it is not chosen over the network.`,
    "Set the agent up where the server runs, with `charter agents`.",
  );
}
