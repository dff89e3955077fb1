import { allSections } from "../../prompt/charter.ts";
import { readPage } from "../../store/home/query.ts";
import { seesSection } from "../caller.ts";
import { agent, more, page, user } from "../common-fields.ts";
import { list, object } from "../field.ts";
import { operation } from "../operation.ts";
import { agentScopeFor, sectionFor } from "../scope-for.ts";
import { operations as amending } from "./amend.ts";
import { listHistory } from "./history.ts";
import { type SectionFacts, sectionFacts } from "./section-facts.ts";
import { section, sectionName } from "./section-fields.ts";

const listSections = operation({
  name: "sections.list",
  says: "List an agent's sections, with their current text",
  about: "An operator sees all sections; a user sees their own copies of those that each user has.",
  route: "GET /agents/{agent}/sections",
  tool: true,
  who: "person",
  input: { agent, user, ...page },
  answer: object({ sections: list(section).told(), more }).named("SectionList"),
  statuses: { 200: "In the order of the prompt." },
  run: async (context, { agent, user, ...asked }) => {
    const scope = await agentScopeFor(context, agent, user);
    const host = await context.host();
    const looked = await host.snapshot(scope);
    const seen = allSections(looked.declaredTurn.charter).filter(({ section }) => seesSection(context.caller, section));
    const { rows, more } = await readPage(async ({ limit, offset }) => seen.slice(offset, offset + limit), asked);
    return { sections: await sectionFacts(host, looked, rows), more };
  },
});

const showSection = operation({
  name: "sections.show",
  says: "Get a section, with its current text",
  route: "GET /agents/{agent}/sections/{section}",
  tool: true,
  who: "person",
  input: { agent, section: sectionName, user },
  answer: section,
  statuses: { 200: "The section." },
  run: async (context, asked) => {
    const { placed, snapshot } = await sectionFor(context, asked);
    const [facts] = await sectionFacts(await context.host(), snapshot, [placed]);
    return facts as SectionFacts;
  },
});

export const operations = [listSections, showSection, listHistory, ...amending];
