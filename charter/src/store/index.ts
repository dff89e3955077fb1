export type { Adviser, AdviserResult, SecondOpinion } from "./adviser.ts";
export type { Agent, Agents, NewAgent } from "./agents.ts";
export type { Entry, History, Recorded } from "./amendments.ts";
export {
  type Comparison,
  comparePrompts,
  type PrefixBreak,
  type SectionDifference,
  type SentPrompt,
} from "./compare.ts";
export {
  type Conversation,
  type ConversationLimits,
  type Conversations,
  type Exchange,
  usualLimits,
} from "./conversations.ts";
export { counterpart } from "./counterpart.ts";
export type { Desk, Settled } from "./desk.ts";
export type { Dispatch, NewDispatch } from "./dispatch-row.ts";
export type { Dispatches } from "./dispatches.ts";
export type { Event, Events, NewEvent } from "./event.ts";
export type { HeldProposals } from "./held.ts";
export type { HeldCall } from "./held-call-row.ts";
export type { HeldCalls, NewHeldCall } from "./held-calls.ts";
export type { Held } from "./held-row.ts";
export type { Checkup, Database, Dialect, Home, Reach } from "./home/database.ts";
export type { Page } from "./home/page.ts";
export { postgres } from "./home/postgres.ts";
export { sqlite } from "./home/sqlite.ts";
export type { Answer, Inbox, Message, NewMessage, Reply } from "./inbox.ts";
export type { Judge } from "./judge.ts";
export type { Link, Links } from "./links.ts";
export type { FoundNotes, Memory, NewNote, Note } from "./memory.ts";
export type { Moving } from "./moving/moving.ts";
export type { NextTime, Plan, Planned, PlannedRun } from "./planning.ts";
export type { Propose } from "./propose.ts";
export type { AboutRuns, Run, Runs } from "./runs.ts";
export type { NewSchedule, Schedule, Schedules } from "./schedules.ts";
export type { NewestTurn, SessionTurn } from "./session-turns.ts";
export type { Session, Sessions, SessionTouch } from "./sessions.ts";
export type { Spending, Spent, SpentTotal, UsedTokens } from "./spending.ts";
export type { StandingFault, Standings } from "./standing.ts";
export type { Sent, Step, Steps } from "./steps.ts";
export { createStore, type Store, type StoreOptions } from "./store.ts";
export type { TakingUpdates } from "./take-updates.ts";
export type { RunEnd, TakenRun, Taker } from "./taking.ts";
export type { NewToken, Token, TokenKind } from "./token-row.ts";
export type { Tokens } from "./tokens.ts";
export type { Turn } from "./turn.ts";
export type { Came, TurnEnd } from "./turn-end.ts";
export type { Interrupting } from "./turn-interrupted.ts";
export type { AboutTurn, Kept, NewStep } from "./turn-step.ts";
export type { NewTurn, Turns } from "./turns.ts";
export type { NewUpdate, Update } from "./update-row.ts";
export type { Updates } from "./updates.ts";
export type { User, Users } from "./users.ts";
export {
  type StoreFault,
  type Verification,
  type VerifyOptions,
  verifyStore,
  type WalkProgress,
} from "./verify/verify.ts";
