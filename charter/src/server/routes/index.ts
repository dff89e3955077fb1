import type { Routes } from "../api.ts";
import { agentRoutes } from "./agents.ts";
import { approvalRoutes } from "./approvals.ts";
import { attachmentRoutes } from "./attachments.ts";
import { automatonRoutes } from "./automaton.ts";
import { charterRoutes } from "./charters.ts";
import { chatPageRoutes } from "./chat-page.ts";
import { conversationRoutes } from "./conversations.ts";
import { coreMemoryRoutes } from "./core-memory.ts";
import { costRoutes } from "./cost.ts";
import { counterpartRoutes } from "./counterparts.ts";
import { eventRoutes } from "./events.ts";
import { freezeRoutes } from "./freeze.ts";
import { historyRoutes } from "./history.ts";
import { inboxRoutes } from "./inbox.ts";
import { invitationRoutes } from "./invitations.ts";
import { linkRoutes } from "./links.ts";
import { mcpRoutes } from "./mcp.ts";
import { meRoutes } from "./me.ts";
import { meDataRoutes } from "./me-data.ts";
import { memoryRoutes } from "./memory.ts";
import { modelRoutes } from "./models.ts";
import { moveMessageRoutes } from "./move-message.ts";
import { nextRequestRoutes } from "./next-request.ts";
import { promptRoutes } from "./prompt.ts";
import { promptInputRoutes } from "./prompt-inputs.ts";
import { proposalRoutes } from "./proposals.ts";
import { runRoutes } from "./runs.ts";
import { sampleRoutes } from "./samples.ts";
import { scheduleRoutes } from "./schedules.ts";
import { sectionRoutes } from "./sections.ts";
import { sessionRoutes } from "./sessions.ts";
import { signInLinkRoutes } from "./sign-in-links.ts";
import { tokenRoutes } from "./tokens.ts";
import { toolRoutes } from "./tools.ts";
import { turnRecordRoutes } from "./turn-records.ts";
import { turnRoutes } from "./turns.ts";
import { userRoutes } from "./users.ts";

/** All routes under `/api`, for `createApi`. */
export const allRoutes: readonly Routes[] = [
  meRoutes,
  meDataRoutes,
  chatPageRoutes,
  charterRoutes,
  modelRoutes,
  agentRoutes,
  freezeRoutes,
  promptRoutes,
  promptInputRoutes,
  nextRequestRoutes,
  sectionRoutes,
  historyRoutes,
  proposalRoutes,
  approvalRoutes,
  turnRoutes,
  turnRecordRoutes,
  attachmentRoutes,
  sessionRoutes,
  sampleRoutes,
  costRoutes,
  toolRoutes,
  mcpRoutes,
  memoryRoutes,
  coreMemoryRoutes,
  counterpartRoutes,
  conversationRoutes,
  inboxRoutes,
  moveMessageRoutes,
  automatonRoutes,
  scheduleRoutes,
  runRoutes,
  linkRoutes,
  signInLinkRoutes,
  userRoutes,
  invitationRoutes,
  tokenRoutes,
  eventRoutes(),
];
