export type { Proposal, Verdict } from "./amend/amend.ts";
export { amend, type Rules, type StandingText, type UnshownText, unshownSentence } from "./amend/amend.ts";
export type { Amendment, Publication, PublicationOutcome, Publisher, Scope } from "./amend/amendment.ts";
export type { Change, Guard, TurnFacts } from "./amend/guard.ts";
export { needsApproval } from "./amend/guards/needs-approval.ts";
export { allowedHand, frozen, staleRevision, turnQuota, turnState } from "./amend/guards/permission.ts";
export {
  type InertLine,
  inertSentence,
  noForgery,
  protectedOpening,
  type SizeLimitOptions,
  sizeLimit,
  wellFormed,
} from "./amend/guards/text.ts";
export { noOverride, room, usualGuards } from "./amend/guards.ts";
export {
  type AuthoredSpan,
  blame,
  createMemoryLedger,
  type Ledger,
  type LedgerContext,
  type MemoryLedger,
  type NewestRevision,
  propose,
  type ReplayResult,
  replay,
} from "./amend/ledger.ts";
export type { Operation, Refusal } from "./amend/operation.ts";
export { findOverride, type Override } from "./amend/override/override.ts";
export { type HigherSections, higherThan } from "./amend/override/warning.ts";
export type { Opinion, OpinionRequest } from "./amend/second-opinion.ts";
export type { Room } from "./prompt/assemble.ts";
export { assemble } from "./prompt/assemble.ts";
export { countCharacters } from "./prompt/character.ts";
export type { Edition } from "./prompt/charter.ts";
export { type Charter, defineCharter, type GivesWayRule, type Limit, type PlacedSection } from "./prompt/charter.ts";
export { diff, type Hunk, unified } from "./prompt/diff.ts";
export { fenced, type InertOptions, inert, isFenced, quoted } from "./prompt/fence.ts";
export { gather, type ReadingTimeout, withStanding } from "./prompt/gather.ts";
export type { Cut, Omission } from "./prompt/plan.ts";
export { Problem } from "./prompt/problem.ts";
export type { Prompt, Sha256, TokenCount } from "./prompt/prompt.ts";
export { type Occurrence, type SectionSpan, type SentSpan, type Span, why } from "./prompt/prompt.ts";
export type { Notice, Part, Readings, Source, SourceContext, Standing, ToolLine, Trust } from "./prompt/reading.ts";
export { empty, fromText, join, present, type Reading, unavailable } from "./prompt/reading.ts";
export type { HistorySource, RequestTexts, SentHistory } from "./prompt/receipt.ts";
export {
  type CacheTokens,
  type Placement,
  type Receipt,
  type ReceiptOptions,
  type ReceiptText,
  receiptOf,
  type SectionText,
  type SentSection,
  type SentSlot,
} from "./prompt/receipt.ts";
export type { Actor, Layer, Mutability, Section, Stability } from "./prompt/section.ts";
export type { Attachment, AttachmentKind, ForeignText } from "./prompt/step-result.ts";
export type { Embedder, Tokenizer } from "./prompt/tokens.ts";
