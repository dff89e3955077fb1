import type { Answer } from "../operations/operations.ts";

/** Types of the API's answers, which the studio uses. Not exported from the package. */
export type { ErrorBody } from "./http/error.ts";
export type { UiChunk } from "./turns/ui-stream.ts";

type Agents = Answer<"GET /agents">;

/** The answer of `GET /api/agents` to operators. */
export type AgentListAnswer = Omit<Agents, "agents"> & {
  readonly agents: readonly Extract<Agents["agents"][number], { readonly charter: string }>[];
};

/** The answer of `GET /api/agents/{agent}`. */
export type AgentAnswer = Answer<"GET /agents/{agent}">;

/** The answer of `GET /api/agents/{agent}/users`. */
export type AgentUsersAnswer = Answer<"GET /agents/{agent}/users">;

/** The answer of `POST /api/agents/{agent}/automaton/wake`, `sleep` and `grant`. */
export type AutomatonAnswer = Answer<"POST /agents/{agent}/automaton/wake">;

/** The answer of `GET /api/agents/{agent}/snapshot`. */
export type LifeSnapshotAnswer = Answer<"GET /agents/{agent}/snapshot">;

/** The answer of `GET /api/agents/{agent}/inbox`. */
export type MessageListAnswer = Answer<"GET /agents/{agent}/inbox">;

/** The answer of `POST /api/agents/{agent}/inbox/retry`. */
export type RetriedMessagesAnswer = Answer<"POST /agents/{agent}/inbox/retry">;

/** The answer of `GET /api/agents/{agent}/outbox`. */
export type ReplyListAnswer = Answer<"GET /agents/{agent}/outbox">;

/** The answer of `GET /api/charters`. */
export type CharterListAnswer = Answer<"GET /charters">;

/** The answer of `GET /api/models`. */
export type ModelListAnswer = Answer<"GET /models">;

/** The answer of `POST /api/models/test`. */
export type ModelTestAnswer = Answer<"POST /models/test">;

/** The answer of `GET /api/agents/{agent}/sections/{section}/history`. */
export type HistoryAnswer = Answer<"GET /agents/{agent}/sections/{section}/history">;

/** The answer of `GET /api/agents/{agent}/conversations/{counterpart}`. */
export type ConversationAnswer = Answer<"GET /agents/{agent}/conversations/{counterpart}">;

type Prompt = Answer<"GET /agents/{agent}/prompt">;

/** The answer of `GET /api/agents/{agent}/prompt`, with all its parts. */
export type PromptAnswer = { readonly [Name in keyof Prompt]-?: Exclude<Prompt[Name], undefined> };

/** The part `request` of that answer. */
export type NextRequestAnswer = PromptAnswer["request"];

/** The answer of `GET /api/agents/{agent}/counterparts`. */
export type CounterpartListAnswer = Answer<"GET /agents/{agent}/counterparts">;

/** The answer of `GET /api/agents/{agent}/sessions`. */
export type SessionListAnswer = Answer<"GET /agents/{agent}/sessions">;

/** The answer of `GET /api/agents/{agent}/core`. */
export type CoreMemoryAnswer = Answer<"GET /agents/{agent}/core">;

/** The answer of `POST /api/agents/{agent}/core/publish`. */
export type PublishAnswer = Answer<"POST /agents/{agent}/core/publish">;

/** The answer of `GET /api/approvals`. */
export type ApprovalListAnswer = Answer<"GET /approvals">;

/** The answer of `GET /api/me`. */
export type MeAnswer = Answer<"GET /me">;

/** The answer of `GET /api/agents/{agent}/memory`. */
export type NoteListAnswer = Answer<"GET /agents/{agent}/memory">;

/** The answer of `POST /api/agents/{agent}/proposals`. */
export type OutcomeAnswer = Answer<"POST /agents/{agent}/proposals">;

/** The answer of `POST /api/agents/{agent}/sections/{section}/trial`. */
export type TrialAnswer = Answer<"POST /agents/{agent}/sections/{section}/trial">;

/** The answer of `GET /api/agents/{agent}/runs`. */
export type RunListAnswer = Answer<"GET /agents/{agent}/runs">;

/** The answer of `GET /api/agents/{agent}/schedules`. */
export type ScheduleListAnswer = Answer<"GET /agents/{agent}/schedules">;

/** The answer of `GET /api/agents/{agent}/sections/{section}`. */
export type SectionAnswer = Answer<"GET /agents/{agent}/sections/{section}">;

/** The answer of `GET /api/agents/{agent}/sections`. */
export type SectionListAnswer = Answer<"GET /agents/{agent}/sections">;

/** The answer of `GET /api/agents/{agent}/tools`. */
export type ToolListAnswer = Answer<"GET /agents/{agent}/tools">;

type WholeTurn = Answer<"GET /turns/{id}">;

/** Parts of the answer of `GET /api/turns/{id}` that have to be asked for. */
export type TurnParts = {
  readonly [Part in "receipts" | "bytes" | "request" | "sample"]: NonNullable<WholeTurn[Part]>;
};

/** The answer of `GET /api/turns/{id}`, with the parts that were asked for. */
export type TurnAnswer<Part extends keyof TurnParts = never> = Omit<WholeTurn, keyof TurnParts> & Pick<TurnParts, Part>;

/** The answer of `GET /api/agents/{agent}/turns`. */
export type TurnListAnswer = Answer<"GET /agents/{agent}/turns">;

/** The answer of `GET /api/users`. */
export type UserListAnswer = Answer<"GET /users">;

/** The part `inputs` of a prompt. */
export type PromptInputsAnswer = PromptAnswer["inputs"];

/** The answer of `GET /api/agents/{agent}/samples`. */
export type SampleListAnswer = Answer<"GET /agents/{agent}/samples">;

/** The answer of `GET /api/home`. */
export type HomeAnswer = Answer<"GET /home">;

/** The answer of `GET /api/money`. */
export type MoneyAnswer = Answer<"GET /money">;

/** The answer of `GET /api/money/sections`. */
export type SectionCostsAnswer = Answer<"GET /money/sections">;

/** The answer of `GET /api/agents/{agent}/links`. */
export type LinkListAnswer = Answer<"GET /agents/{agent}/links">;

/** The answer of `GET /api/users/{user}`. */
export type UserAnswer = Answer<"GET /users/{user}">;

/** The answer of `GET /api/tokens`. */
export type TokenListAnswer = Answer<"GET /tokens">;

/** The answer of `GET /api/invitations`. */
export type InvitationListAnswer = Answer<"GET /invitations">;
