import type { z } from "@hono/zod-openapi";
import type { agentList, agentWithSections } from "./agent.ts";
import type { history } from "./amendment.ts";
import type { approvalList } from "./approval.ts";
import type { automaton, lifeSnapshot } from "./automaton.ts";
import type { charterList, modelList, modelTest } from "./charter.ts";
import type { conversation, conversationList, sessionList } from "./conversation.ts";
import type { counterpartList } from "./lists/counterpart.ts";
import type { turn, turnList } from "./lists/turn-list.ts";
import type { messageList, messageWithReply, replyList, retriedMessages } from "./message.ts";
import type { noteList } from "./note.ts";
import type { nextRequest } from "./prompt.ts";
import type { promptInputs } from "./prompt-inputs.ts";
import type { proposalOutcome } from "./proposal.ts";
import type { cost, sample, sampleList } from "./sample.ts";
import type { runList, scheduleList } from "./schedule.ts";
import type { coreMemory, publishResult, section, sectionList } from "./section.ts";
import type { toolList } from "./tool.ts";
import type { sentBytes, sentRequest, stepList } from "./turn.ts";
import type { agentUsers, me, userList } from "./user.ts";

/** The answer of `GET /api/agents`. */
export type AgentListAnswer = z.infer<typeof agentList>;

/** The answer of `GET /api/agents/{agent}`. */
export type AgentAnswer = z.infer<typeof agentWithSections>;

/** The answer of `GET /api/agents/{agent}/users`. */
export type AgentUsersAnswer = z.infer<typeof agentUsers>;

/** The answer of `POST /api/agents/{agent}/automaton/wake`, `sleep` and `grant`. */
export type AutomatonAnswer = z.infer<typeof automaton>;

/** The answer of `GET /api/agents/{agent}/snapshot`. */
export type LifeSnapshotAnswer = z.infer<typeof lifeSnapshot>;

/** The answer of `GET /api/agents/{agent}/inbox`. */
export type MessageListAnswer = z.infer<typeof messageList>;

/** The answer of `GET /api/agents/{agent}/inbox/{id}`. */
export type MessageAnswer = z.infer<typeof messageWithReply>;

/** The answer of `POST /api/agents/{agent}/inbox/retry`. */
export type RetriedMessagesAnswer = z.infer<typeof retriedMessages>;

/** The answer of `GET /api/agents/{agent}/outbox`. */
export type ReplyListAnswer = z.infer<typeof replyList>;

/** The answer of `GET /api/charters`. */
export type CharterListAnswer = z.infer<typeof charterList>;

/** The answer of `GET /api/models`. */
export type ModelListAnswer = z.infer<typeof modelList>;

/** The answer of `POST /api/models/test`. */
export type ModelTestAnswer = z.infer<typeof modelTest>;

/** The answer of `GET /api/agents/{agent}/sections/{section}/history`. */
export type HistoryAnswer = z.infer<typeof history>;

/** The answer of `GET /api/agents/{agent}/conversations/{counterpart}`. */
export type ConversationAnswer = z.infer<typeof conversation>;

/** The answer of `GET /api/agents/{agent}/conversations`. */
export type ConversationListAnswer = z.infer<typeof conversationList>;

/** The answer of `GET /api/agents/{agent}/next-request`. */
export type NextRequestAnswer = z.infer<typeof nextRequest>;
/** The answer of `GET /api/agents/{agent}/counterparts`. */
export type CounterpartListAnswer = z.infer<typeof counterpartList>;

/** The answer of `GET /api/agents/{agent}/sessions`. */
export type SessionListAnswer = z.infer<typeof sessionList>;

/** The answer of `GET /api/agents/{agent}/core`. */
export type CoreMemoryAnswer = z.infer<typeof coreMemory>;

/** The answer of `POST /api/agents/{agent}/core/publish`. */
export type PublishAnswer = z.infer<typeof publishResult>;

/** The answer of `GET /api/approvals`. */
export type ApprovalListAnswer = z.infer<typeof approvalList>;

/** The answer of `GET /api/me`. */
export type MeAnswer = z.infer<typeof me>;

/** The answer of `GET /api/agents/{agent}/memory`. */
export type NoteListAnswer = z.infer<typeof noteList>;

/** The answer of `POST /api/agents/{agent}/proposals`. */
export type OutcomeAnswer = z.infer<typeof proposalOutcome>;

/** The answer of `GET /api/agents/{agent}/runs`. */
export type RunListAnswer = z.infer<typeof runList>;

/** The answer of `GET /api/agents/{agent}/schedules`. */
export type ScheduleListAnswer = z.infer<typeof scheduleList>;

/** The answer of `GET /api/agents/{agent}/sections/{section}`. */
export type SectionAnswer = z.infer<typeof section>;

/** The answer of `GET /api/agents/{agent}/sections`. */
export type SectionListAnswer = z.infer<typeof sectionList>;

/** The answer of `GET /api/turns/{id}/steps/{step}/bytes`. */
export type SentBytesAnswer = z.infer<typeof sentBytes>;

/** The answer of `GET /api/turns/{id}/steps/{step}/request`. */
export type SentRequestAnswer = z.infer<typeof sentRequest>;

/** The answer of `GET /api/turns/{id}/steps`. */
export type StepListAnswer = z.infer<typeof stepList>;

/** The answer of `GET /api/agents/{agent}/tools`. */
export type ToolListAnswer = z.infer<typeof toolList>;

/** The answer of `GET /api/turns/{id}`. */
export type TurnAnswer = z.infer<typeof turn>;

/** The answer of `GET /api/agents/{agent}/turns`. */
export type TurnListAnswer = z.infer<typeof turnList>;

/** The answer of `GET /api/users`. */
export type UserListAnswer = z.infer<typeof userList>;

/** The answer of `GET /api/agents/{agent}/prompt-inputs`. */
export type PromptInputsAnswer = z.infer<typeof promptInputs>;

/** The answer of `GET /api/turns/{id}/sample`. */
export type SampleAnswer = z.infer<typeof sample>;

/** The answer of `GET /api/agents/{agent}/samples`. */
export type SampleListAnswer = z.infer<typeof sampleList>;

/** The answer of `GET /api/agents/{agent}/cost`. */
export type CostAnswer = z.infer<typeof cost>;
