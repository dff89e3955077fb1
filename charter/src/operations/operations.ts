import { operations as agents } from "./agents.ts";
import { operations as approvals } from "./approvals/approvals.ts";
import { operations as automaton } from "./automaton.ts";
import {
  attachmentOperations as attachments,
  operations as conversations,
  eventOperations as events,
} from "./conversations/conversations.ts";
import { operations as memory } from "./conversations/memory.ts";
import { operations as sessions } from "./conversations/sessions.ts";
import { operations as core } from "./core.ts";
import { operations as maintain } from "./here/maintain.ts";
import { operations as project } from "./here/project.ts";
import { operations as run } from "./here/run.ts";
import { operations as inbox } from "./inbox/inbox.ts";
import { operations as mcp } from "./mcp.ts";
import { operations as models } from "./models.ts";
import type { Operation } from "./operation.ts";
import { operations as overview } from "./overview.ts";
import { operations as prompts } from "./prompt/prompt.ts";
import { operations as schedules } from "./schedules.ts";
import { operations as sectionCosts } from "./section-costs.ts";
import { operations as sections } from "./sections/sections.ts";
import { operations as tools } from "./tools.ts";
import { operations as cost } from "./turns/cost.ts";
import { operations as diff } from "./turns/diff.ts";
import { operations as replay } from "./turns/replay.ts";
import { operations as samples } from "./turns/samples.ts";
import { operations as turns } from "./turns/turns.ts";
import { operations as erase } from "./users/erase.ts";
import { operations as me } from "./users/me.ts";
import { operations as tokens } from "./users/tokens.ts";
import { operations as users } from "./users/users.ts";

/** All operations, for the doors that have them all. */
export const allOperations = [
  ...agents,
  ...overview,
  ...sectionCosts,
  ...models,
  ...tools,
  ...prompts,
  ...sections,
  ...schedules,
  ...inbox,
  ...automaton,
  ...core,
  ...mcp,
  ...memory,
  ...approvals,
  ...run,
  ...project,
  ...maintain,
  ...me,
  ...users,
  ...tokens,
  ...erase,
  ...conversations,
  ...sessions,
  ...attachments,
  ...events,
  ...turns,
  ...samples,
  ...cost,
  ...replay,
  ...diff,
] satisfies readonly Operation[];

/** Operations with a route; without this filter an operation that has none would match every route. */
type One = Exclude<(typeof allOperations)[number], { readonly route?: never }>;

/** Routes, as clients name them: `GET /agents/{agent}/schedules`. */
type Route = NonNullable<One["route"]>;

/** Answer of a route. */
export type Answer<Named extends Route> = Extract<One, { readonly route?: Named }>["answer"]["holds"];
