export type { NewToken, Token, TokenKind } from "./accounts/token-row.ts";
export type { Tokens } from "./accounts/tokens.ts";
export type { User, Users } from "./accounts/users.ts";
export type { Agent, Agents, NewAgent } from "./agents.ts";
export type { Adviser, AdviserResult, SecondOpinion } from "./amendments/adviser.ts";
export type { Entry, History, Recorded } from "./amendments/amendments.ts";
export type { Desk, Settled } from "./amendments/context.ts";
export type { HeldProposals } from "./amendments/held.ts";
export type { Held } from "./amendments/held-row.ts";
export type { Judge } from "./amendments/judge.ts";
export type { Propose } from "./amendments/propose.ts";
export type { StandingFault, Standings } from "./amendments/standing.ts";
export {
  type Conversation,
  type ConversationLimits,
  type Conversations,
  type Exchange,
  usualLimits,
} from "./conversations/conversations.ts";
export { counterpart } from "./conversations/counterpart.ts";
export type { Answer, Inbox, Message, NewMessage, Reply } from "./conversations/inbox.ts";
export type { FoundNotes, Memory, NewNote, Note } from "./conversations/memory.ts";
export type { Event, Events, NewEvent } from "./event.ts";
export type { Checkup, Database, Dialect, Home, Reach } from "./home/database.ts";
export type { Page } from "./home/page.ts";
export { postgres } from "./home/postgres/postgres.ts";
export { sqlite } from "./home/sqlite/sqlite.ts";
export type { Moving } from "./lifecycle/lifecycle.ts";
export type { Dispatch, NewDispatch } from "./outbox/dispatch-row.ts";
export type { Dispatches } from "./outbox/dispatches.ts";
export type { Link, Links } from "./outbox/links.ts";
export type { TakingUpdates } from "./outbox/take-updates.ts";
export type { NewUpdate, Update } from "./outbox/update-row.ts";
export type { Updates } from "./outbox/updates.ts";
export type { RunEnd, TakenRun, Taker } from "./schedules/claims.ts";
export type { NextTime, Plan, Planned, PlannedRun } from "./schedules/planning.ts";
export type { AboutRuns, Run, Runs } from "./schedules/runs.ts";
export type { NewSchedule, Schedule, Schedules } from "./schedules/schedules.ts";
export { createStore, type Store, type StoreOptions } from "./store.ts";
export {
  type Comparison,
  comparePrompts,
  type PrefixBreak,
  type SectionDifference,
  type SentPrompt,
} from "./turns/compare.ts";
export type { HeldCall } from "./turns/held-call-row.ts";
export type { HeldCalls, NewHeldCall } from "./turns/held-calls.ts";
export type { NewestTurn, SessionTurn } from "./turns/session-turns.ts";
export type { Session, Sessions, SessionTouch } from "./turns/sessions.ts";
export type { Spending, Spent, SpentTotal, UsedTokens } from "./turns/spending.ts";
export type { Sent, Step, Steps } from "./turns/steps.ts";
export type { Turn } from "./turns/turn.ts";
export type { Came, TurnEnd } from "./turns/turn-end.ts";
export type { Interrupting } from "./turns/turn-interrupted.ts";
export type { AboutTurn, Kept, NewStep } from "./turns/turn-step.ts";
export type { NewTurn, Turns } from "./turns/turns.ts";
export {
  type StoreFault,
  type Verification,
  type VerifyOptions,
  verifyStore,
  type WalkProgress,
} from "./verify/verify.ts";
