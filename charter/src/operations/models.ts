import { allNeeds } from "../agent/declaration.ts";
import { usualCharter } from "../host/built-in.ts";
import { anything, flag, list, number, object, oneOf, record, text, time, whole } from "./field.ts";
import { operation } from "./operation.ts";
import { columns } from "./print/columns.ts";

/** Traits a charter declares. */
export const traits = {
  needs: list(oneOf(allNeeds), "What it needs besides its settings.").example(["inbox", "notes"]),
  served: flag("Whether it takes turns on this server; other agents run in a directory, at a terminal."),
};

const charter = object({
  name: text().example("assistant"),
  says: text("What it is for, in a sentence."),
  ...traits,
  template: record(anything(), "Settings for a new agent, to be changed before it is added."),
  reads: list(text(), "The settings it reads besides those all charters do, by their paths.").example([
    "original.soul",
  ]),
});

const listCharters = operation({
  name: "charters.list",
  says: "List the available charters",
  route: "GET /charters",
  who: "operator",
  input: {},
  answer: object({
    charters: list(charter),
    usual: text("The default charter.").example("assistant"),
  }).named("CharterList", "The charters an agent can be given over the network."),
  statuses: { 200: "Name, purpose and needs of each." },
  run: async (context) => {
    const { describeCharters } = await import("../host/load.ts");
    return { charters: await describeCharters(await context.host()), usual: usualCharter };
  },
});

const modelName = text("As an agent names it.").example("anthropic/claude-sonnet-5-5");
const problem = object({ code: text(), message: text(), hint: text() }).named(
  "ModelProblem",
  "Why a model cannot be asked, or did not answer, and what to do.",
);
const price = object(
  { input: number(), read: number(), write: number(), output: number() },
  "Dollars per million tokens.",
);

const knownModel = object({
  name: modelName,
  provider: text("The protocol it is asked by.").example("anthropic"),
  own: flag("It is described in models.json or charter.config.ts."),
  key: oneOf(["present", "missing", "not-needed"], "Whether its API key is set."),
  standIn: flag("It is a script in place of a model."),
  window: whole("The most tokens of a request, where that is known.").nullable(),
  price: price.nullable(),
  problem: problem.nullable(),
  tested: object(
    { at: time(), ok: flag(), problem: problem.optional() },
    "What its last test came to, since the server was started.",
  ).nullable(),
}).named("KnownModel");

const listModels = operation({
  name: "models.list",
  says: "List the models agents can use",
  about: "Whether each has its key, and how its last test went. Keys are not shown, and no model is asked.",
  route: "GET /models",
  command: "models [list]",
  examples: [["charter models", "list them: which have a key, and what keeps others from being asked"]],
  who: "operator",
  input: {},
  answer: object({
    models: list(knownModel),
    usual: list(text(), "The models of agents that name none, first the one that is asked first."),
    place: text("Where models and their keys are set."),
  }).named(
    "ModelList",
    "Models of your own, those that agents use, and those of providers that are known by name. Agents may name other models of these providers as well.",
  ),
  statuses: { 200: "The models." },
  run: async ({ host }) => {
    const { list, usual } = (await host()).knownModels;
    const { modelPlace } = await import("../host/models/model-names.ts");
    return { models: await list(), usual: usual(), place: modelPlace };
  },
  lines: ({ models, usual }) => {
    const cells = models.map(({ name, key, window, problem }) => [
      name,
      key,
      window === null ? "–" : String(window),
      problem?.message ?? (usual[0] === name ? "asked by agents that name none" : "–"),
    ]);
    return columns(["model", "key", "window", "note"], cells, process.stdout);
  },
});

const testModel = operation({
  name: "models.test",
  says: "Ask a model for one word",
  about: "Finds a wrong key, name or address. It costs a word.",
  route: "POST /models/test",
  command: "models test <model>",
  examples: [["charter models test openai/gpt-5", "ask one for one word"]],
  notes: "Exit code 1: it did not answer.",
  example: { model: "stand-in/scripted" },
  who: "operator",
  perMinute: 30,
  input: {
    model: text("The name of one model.", { form: /^[\s\S]{1,200}$/, reason: "must have 1 to 200 characters" }),
  },
  answer: object({
    model: modelName,
    ok: flag("It answered."),
    problem: problem.optional(),
    notes: list(text(), "What else was found out, a sentence each."),
    tookMs: whole(),
  }).named("ModelTest"),
  statuses: { 200: "The result." },
  run: async ({ host }, { model }) => (await host()).knownModels.test(model),
  lines: ({ model, ok, problem, notes, tookMs }) => ({
    out: [
      ok ? `${model} answered, in ${tookMs} ms.` : `${model} did not answer: ${problem?.message} ${problem?.hint}`,
      ...notes,
    ],
    code: ok ? 0 : 1,
  }),
});

export const operations = [listCharters, listModels, testModel];
