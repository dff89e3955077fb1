export type { StepResult } from "../prompt/step-result.ts";
export type { Identities } from "./accounts/identities.ts";
export type { NewSession, NewToken, Token, TokenKind, Tokens } from "./accounts/tokens.ts";
export type { Invitations, User, Users } from "./accounts/users.ts";
export type { AgentRecord, Agents, CharterRecord, CharterToKeep, NewAgent } from "./agents.ts";
export type {
  AmendmentEntry,
  AmendmentHistory,
  Authors,
  RecordedAmendment,
  RevisionRange,
} from "./amendments/amendments.ts";
export type { Cause, CauseQuery } from "./amendments/cause.ts";
export type { ApproveOptions, HeldProposal } from "./amendments/held-proposal.ts";
export type { HeldProposals } from "./amendments/held-proposals.ts";
export type {
  Adviser,
  AdviserResult,
  AmendmentContext,
  Judge,
  ProposalOutcome,
  SecondOpinion,
} from "./amendments/judge.ts";
export type { Propose } from "./amendments/propose.ts";
export type { StandingFault, Standings } from "./amendments/standing.ts";
export type { Automata, Automaton, PendingWork, StateChange, TurnCosts } from "./automata/automata.ts";
export type { ChainStore } from "./chain/chain.ts";
export type {
  ChannelUpdate,
  ChannelUpdates,
  ClaimUpdatesOptions,
  NewChannelUpdate,
} from "./channels/channel-updates.ts";
export type { Dispatch, Dispatches, NewDispatch } from "./channels/dispatches.ts";
export type { Link, Links } from "./channels/links.ts";
export type {
  Conversation,
  ConversationLimits,
  Conversations,
  CounterpartOverview,
  Exchange,
  ListCounterpartsOptions,
  NewExchange,
} from "./conversations/conversations.ts";
export type { Inbox } from "./conversations/inbox.ts";
export type { InboxLimits, InboxMessage, NewInboxMessage, OutboxReply } from "./conversations/inbox-row.ts";
export type {
  ClaimMessagesOptions,
  FailedMessage,
  FinishedMessages,
  InboxAnswer,
  InboxOutcome,
  NoAnswer,
} from "./conversations/message-work.ts";
export type { PostedMessage } from "./conversations/post-message.ts";
export type { Events, NewEvent, StoreEvent } from "./event.ts";
export type { Home, Reach } from "./home/database.ts";
export { type PostgresOptions, postgres } from "./home/postgres/postgres.ts";
export { insertInto, type Page, recordOf } from "./home/query.ts";
export { type Query, sql, type Value } from "./home/sql.ts";
export { type SqliteOptions, sqlite } from "./home/sqlite/sqlite.ts";
export { Column, columns, type NewRowOf, type RecordOf, type Table, table } from "./home/table.ts";
export type { Schema, SchemaStep } from "./home/table-statements.ts";
export type { CheckpointHeader, CheckpointOptions, CheckpointResult } from "./lifecycle/checkpoint.ts";
export type { ErasableData, EraseOptions, EraseResult, RemoveResult } from "./lifecycle/erase.ts";
export type { UserExport } from "./lifecycle/export.ts";
export type { CheckpointProof, RestoreOptions } from "./lifecycle/restore.ts";
export type { RetainResult, Retention } from "./lifecycle/retain.ts";
export type { SharedContext, SharedRevision } from "./lifecycle/shared-revisions.ts";
export type { FoundNotes, Memory, NewNote, NoteChange } from "./memory/memory.ts";
export type { Note } from "./memory/note.ts";
export type { FoundBy } from "./memory/search-notes.ts";
export type { DisownResult, VouchOptions, VouchResult } from "./memory/vouch.ts";
export type { Overview } from "./overview.ts";
export type { Publications } from "./publications/publications.ts";
export type { ClaimedRun, Run, RunClaims, RunEnd, Runs, Schedule } from "./schedules/runs.ts";
export type {
  NewSchedule,
  NextTime,
  PlannedRun,
  RunPlanner,
  SchedulePlan,
  SchedulePlanContext,
  SchedulePlanner,
  Schedules,
} from "./schedules/schedules.ts";
export { type OwnTablesOptions, withTables } from "./schema.ts";
export { counterpart, type UserSelector } from "./scope.ts";
export type { CountWaiting, Lifecycle, OpenWork } from "./store.ts";
export { createStore, type Store, type StoreOptions } from "./store.ts";
export { sha256 } from "./texts/packing.ts";
export type { ToolPin, ToolPins } from "./tool-pins.ts";
export type { Attachments, KeptAttachment, NewAttachment } from "./turns/attachments.ts";
export type { HeldCall, HeldCalls, NewHeldCall } from "./turns/held-calls.ts";
export type { ListTurnsOptions, TurnEvent, TurnFilter, TurnOverview, TurnSort, TurnSums } from "./turns/list-turns.ts";
export type { NewStep, RecordedStep } from "./turns/record-step.ts";
export type {
  FoundSession,
  ListSessionsOptions,
  NewestTurn,
  SentInto,
  Session,
  SessionFilter,
  SessionReason,
  SessionTouch,
  SessionTurn,
} from "./turns/session.ts";
export type { SessionOverview, Sessions } from "./turns/sessions.ts";
export type { Expense, Spending, SpendingRange, SpendingSums, SpendingTotal, TokenUsage } from "./turns/spending.ts";
export type { InterruptOptions, TurnEnd } from "./turns/step-result.ts";
export type { ReplayedStep, Step, Steps } from "./turns/steps.ts";
export type { Announcement, Turn, TurnHints, TurnReason } from "./turns/turn.ts";
export type { NewTurn, Turns } from "./turns/turns.ts";
export {
  type StoreFault,
  type Verification,
  type VerifyOptions,
  verifyStore,
  type WalkProgress,
} from "./verify/verify.ts";
export type { RefusedKinds, Windows } from "./windows.ts";
export type { Claimant } from "./work.ts";
