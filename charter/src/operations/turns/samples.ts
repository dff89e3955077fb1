import { agent, page } from "../common-fields.ts";
import { text, whole } from "../field.ts";
import { operation } from "../operation.ts";
import { samplesOf } from "../samples/read-samples.ts";
import { shownStep } from "../samples/sampled-step.ts";
import { agentScopeFor } from "../scope-for.ts";
import { readTurns } from "./read-turns.ts";
import { sampleList } from "./sample-fields.ts";
import { turnFilter, turnSort } from "./turn-fields.ts";

const listSamples = operation({
  name: "samples.list",
  says: "List samples: what each turn sent and cost",
  about: "What each turn sent, section by section, what it was billed for, and what caused a cache miss.",
  route: "GET /agents/{agent}/samples",
  who: "operator",
  input: {
    ...turnFilter,
    agent,
    session: text("Only those of this session.").optional(),
    sort: turnSort,
    ...page,
    limit: whole("How many rows.", { least: 1, most: 200 }).usual(50),
  },
  answer: sampleList,
  statuses: { 200: "Default: the newest first." },
  run: async (context, { agent, user, ...asked }) => {
    const scope = await agentScopeFor(context, agent, user);
    const { rows, ...stretch } = await readTurns(context.store, { ...asked, ...scope });
    const sampled = await samplesOf(await context.host(), agent, rows);
    const samples = sampled.map(({ facts, count, last }) => {
      const { tools = null, history = null, sections = [] } = last ? shownStep(last) : {};
      return { ...facts, steps: count, tools, history: history?.tokens ?? null, sections };
    });
    return { samples, ...stretch };
  },
});

export const operations = [listSamples];
