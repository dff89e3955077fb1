export type { StepResult } from "../prompt/step-result.ts";
export type { TokenKind } from "./accounts/account-tables.ts";
export type { Identities } from "./accounts/identities.ts";
export type { Invitations } from "./accounts/invitations.ts";
export type { NewSession, NewToken, Token, Tokens } from "./accounts/tokens.ts";
export type { User, Users } from "./accounts/users.ts";
export type { AgentRecord, Agents, NewAgent } from "./agents.ts";
export type { AmendmentEntry, AmendmentHistory, RecordedAmendment, RevisionRange } from "./amendments/amendments.ts";
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
export type { Authors } from "./amendments/written-by.ts";
export type { Automata, PendingWork, TurnCosts } from "./automata/automata.ts";
export type { Automaton, StateChange } from "./automata/automaton.ts";
export type { ChainStore } from "./chain/chain.ts";
export type {
  ChannelUpdate,
  ChannelUpdates,
  ClaimUpdatesOptions,
  NewChannelUpdate,
} from "./channels/channel-updates.ts";
export type { Dispatch, Dispatches, NewDispatch } from "./channels/dispatches.ts";
export type { Link, Links } from "./channels/links.ts";
export type { CharterRecord, CharterToKeep } from "./charter-record.ts";
export type { ClaimMessagesOptions } from "./conversations/claim-messages.ts";
export type {
  Conversation,
  ConversationLimits,
  Conversations,
  Exchange,
  NewExchange,
} from "./conversations/conversations.ts";
export type { CounterpartOverview, ListCounterpartsOptions } from "./conversations/counterpart-list.ts";
export type {
  FailedMessage,
  FinishedMessages,
  InboxAnswer,
  InboxOutcome,
  NoAnswer,
} from "./conversations/finish-messages.ts";
export type { Inbox } from "./conversations/inbox.ts";
export type { InboxLimits, InboxMessage, NewInboxMessage, OutboxReply } from "./conversations/inbox-row.ts";
export { counterpart } from "./conversations/inbox-row.ts";
export type { PostedMessage } from "./conversations/post-message.ts";
export type { Events, NewEvent, StoreEvent } from "./event.ts";
export { Column, columns } from "./home/column.ts";
export type { Home, Reach } from "./home/database.ts";
export { type PostgresOptions, postgres } from "./home/postgres/postgres.ts";
export { insertInto, type Page, recordOf } from "./home/query.ts";
export { withTables } from "./home/schema.ts";
export { type Query, sql, type Value } from "./home/sql.ts";
export { type SqliteOptions, sqlite } from "./home/sqlite/sqlite.ts";
export { type NewRowOf, type RecordOf, type Table, table } from "./home/table.ts";
export type { Schema } from "./home/table-statements.ts";
export type { Claimant } from "./lease.ts";
export type { CheckpointOptions, CheckpointResult } from "./lifecycle/checkpoint.ts";
export type { CheckpointHeader } from "./lifecycle/checkpoint-file.ts";
export type { ErasableData, EraseResult, UserSelector } from "./lifecycle/erase.ts";
export type { UserExport } from "./lifecycle/export.ts";
export type { Lifecycle } from "./lifecycle/lifecycle.ts";
export type { RemoveResult } from "./lifecycle/remove-agent.ts";
export type { CheckpointProof, RestoreOptions } from "./lifecycle/restore.ts";
export type { RetainResult, Retention } from "./lifecycle/retain.ts";
export type { FoundNotes, Memory, NewNote, NoteChange } from "./memory/memory.ts";
export type { Note } from "./memory/note.ts";
export type { FoundBy } from "./memory/search-notes.ts";
export type { DisownResult, VouchOptions, VouchResult } from "./memory/vouch.ts";
export type { CountWaiting, OpenWork } from "./open-work.ts";
export type { Publications } from "./publications/publications.ts";
export type { ClaimedRun, RunClaims, RunEnd, Runs } from "./schedules/claims.ts";
export type {
  NextTime,
  PlannedRun,
  RunPlanner,
  SchedulePlan,
  SchedulePlanContext,
  SchedulePlanner,
} from "./schedules/planning.ts";
export type { Run, Schedule } from "./schedules/schedule-tables.ts";
export type { NewSchedule, Schedules } from "./schedules/schedules.ts";
export { createStore, type Store, type StoreOptions } from "./store.ts";
export { sha256 } from "./texts/packing.ts";
export type { ToolPin, ToolPins } from "./tool-pins.ts";
export type { SentInto } from "./turns/announcement.ts";
export type { Attachments, KeptAttachment, NewAttachment } from "./turns/attachments.ts";
export type { NewTurn } from "./turns/check-turn.ts";
export type { HeldCall, HeldCalls, NewHeldCall } from "./turns/held-calls.ts";
export type { ListTurnsOptions, TurnEvent, TurnFilter, TurnSort } from "./turns/list/list-turns.ts";
export type { TurnOverview, TurnSums } from "./turns/list/turn-facts.ts";
export type { NewStep, RecordedStep, TurnHints } from "./turns/record-step.ts";
export type {
  ListSessionsOptions,
  NewestTurn,
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
export type { Turn } from "./turns/turn.ts";
export type { Announcement, TurnReason } from "./turns/turn-tables.ts";
export type { Turns } from "./turns/turns.ts";
export {
  type StoreFault,
  type Verification,
  type VerifyOptions,
  verifyStore,
  type WalkProgress,
} from "./verify/verify.ts";
export type { RefusedKinds, Windows } from "./windows.ts";
