import { access } from "./access.ts";
import { acp } from "./acp.ts";
import { agent } from "./agent.ts";
import { attachments } from "./attachments.ts";
import { automaton } from "./automaton.ts";
import { charters } from "./charters.ts";
import { coder } from "./coder.ts";
import { coreMemory } from "./core-memory.ts";
import { delivery } from "./delivery.ts";
import { doors } from "./doors.ts";
import { extension } from "./extension.ts";
import { failover } from "./failover.ts";
import { governance } from "./governance.ts";
import { heart } from "./heart.ts";
import { inbox } from "./inbox.ts";
import { agentLife } from "./life.ts";
import { mcp } from "./mcp.ts";
import { memories } from "./memories.ts";
import { missing } from "./missing.ts";
import type { Mutation } from "./mutation.ts";
import { packages } from "./packages.ts";
import { processes } from "./processes.ts";
import { relays } from "./relays.ts";
import { routes } from "./routes.ts";
import { scheduled } from "./schedules.ts";
import { secondOpinion } from "./second-opinion.ts";
import { server } from "./server.ts";
import { serviceStore } from "./service-store.ts";
import { store } from "./store.ts";
import { telegram } from "./telegram.ts";
import { testing } from "./testing.ts";
import { turns } from "./turns.ts";
import { users } from "./users.ts";
import { withinWindow } from "./window.ts";
import { workspace } from "./workspace.ts";

export const mutations: readonly Mutation[] = [
  ...heart,
  ...access,
  ...acp,
  ...inbox,
  ...agentLife,
  ...missing,
  ...store,
  ...delivery,
  ...doors,
  ...agent,
  ...attachments,
  ...automaton,
  ...charters,
  ...coder,
  ...coreMemory,
  ...mcp,
  ...memories,
  ...workspace,
  ...extension,
  ...failover,
  ...governance,
  ...packages,
  ...processes,
  ...relays,
  ...routes,
  ...scheduled,
  ...secondOpinion,
  ...server,
  ...serviceStore,
  ...telegram,
  ...testing,
  ...turns,
  ...users,
  ...withinWindow,
];
