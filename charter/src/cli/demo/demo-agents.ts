import { z } from "zod";
import { defineTool, type Tool } from "../../agent/tool.ts";
import type { Model } from "../../delivery/model.ts";
import { isStandInName } from "../../delivery/models/provider.ts";
import { standInReceiver } from "../../delivery/stand-in.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import { createScriptedModel } from "./demo-model.ts";
import { agentsFile, clubPage, diary, nightPorter, script, soul } from "./demo-words.ts";

/** What the models of the demo would cost, in dollars per million tokens, so that its pages have figures to show. */
const prices = {
  "stand-in/large": { input: 3, read: 0.3, write: 3, output: 15 },
  "stand-in/small": { input: 0.4, read: 0.04, write: 0.4, output: 1.6 },
} as const;

/** The model of agents that name none. */
export const usualDemoModel = "stand-in/large";

/** The models of the demo: the stand-in, under two names. */
export function demoModels(now: () => Date): Readonly<Record<string, Model>> {
  return Object.fromEntries(
    Object.entries(prices).map(([name, price]) => [
      name,
      createScriptedModel({ script, now, receiver: { ...standInReceiver, name, price } }),
    ]),
  );
}

/** Instead of any other model: whatever an agent's settings say, none is ever loaded. */
export async function noOtherModel(name: string): Promise<Model> {
  if (isStandInName(name)) return createScriptedModel({ script, now: () => new Date() });
  throw new Problem(
    "not-in-demo",
    `A demo asks no model, and so not “${name}”.`,
    `Choose ${Object.keys(prices).join(" or ")}; for a real model start Charter without --demo.`,
  );
}

/** What its agents are lent. Both only pretend: no page is fetched, and no mail is sent. */
export const demoTools: readonly Tool[] = [
  defineTool({
    name: "read_page",
    input: z.object({ url: z.string() }),
    summary: "Read a web page",
    foreign: true,
    run: ({ url }) => `${url}\n${clubPage}`,
  }),
  defineTool({
    name: "send_mail",
    input: z.object({ to: z.string(), body: z.string() }),
    summary: "Send an e-mail",
    sensitive: true,
    run: ({ to }) => `This is a demo: nothing was sent to ${to}.`,
  }),
];

/** One agent of each charter. */
export async function addAgents(store: Store): Promise<void> {
  const identity = { name: "Ada", vibe: "calm and quick", description: "the assistant of Harbour House" };
  await store.agents.add({ name: "ada", charter: "assistant", settings: { original: { soul, identity } } });
  await store.agents.add({
    name: "sol",
    charter: "sovereign",
    settings: {
      soul: "sol-of-the-boat-shed",
      skills: [{ name: "lockers", instructions: "Quote a price a day, and say until when it holds." }],
    },
  });
  await store.agents.add({
    name: "art",
    charter: "artifact",
    model: "stand-in/small",
    settings: { original: diary },
  });
  const site = "/srv/harbour-site";
  await store.agents.add({
    name: "cody",
    charter: "coder",
    settings: {
      cwd: site,
      tools: ["read", "bash", "edit", "write"],
      context: [{ path: `${site}/AGENTS.md`, content: agentsFile }],
      skills: ["release", "review", "translate"].map((name) => ({
        name,
        description: `How we ${name} here, step by step.`,
        location: `${site}/.charter/skills/${name}/SKILL.md`,
      })),
    },
  });
  const { base, operator, core } = nightPorter;
  await store.agents.add({
    name: "rex",
    charter: "resident",
    model: "stand-in/small",
    settings: { base, operator, core: { status: "present", text: core } },
  });
}
