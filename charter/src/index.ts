export { amend, type Rules, type StandingText } from "./amend/amend.ts";
export type { Amendment, Scope } from "./amend/amendment.ts";
export { type AuthoredSpan, blame } from "./amend/blame.ts";
export type { Change, Guard, TurnFacts } from "./amend/guard.ts";
export { allowedHand } from "./amend/guards/allowed-hand.ts";
export { frozen } from "./amend/guards/frozen.ts";
export { needsApproval } from "./amend/guards/needs-approval.ts";
export { noForgery } from "./amend/guards/no-forgery.ts";
export { noOverride } from "./amend/guards/no-override.ts";
export { protectedOpening } from "./amend/guards/protected-opening.ts";
export { room } from "./amend/guards/room.ts";
export { type SizeLimitOptions, sizeLimit } from "./amend/guards/size-limit.ts";
export { staleRevision } from "./amend/guards/stale-revision.ts";
export { turnQuota } from "./amend/guards/turn-quota.ts";
export { turnState } from "./amend/guards/turn-state.ts";
export { wellFormed } from "./amend/guards/well-formed.ts";
export { usualGuards } from "./amend/guards.ts";
export { type InertLine, inertSentence } from "./amend/inert-line.ts";
export {
  createMemoryLedger,
  type Ledger,
  type LedgerContext,
  type MemoryLedger,
  type NewestRevision,
  propose,
} from "./amend/ledger.ts";
export type { Operation } from "./amend/operation.ts";
export { type HigherSections, higherThan } from "./amend/override/higher.ts";
export { findOverride, type Override } from "./amend/override/override.ts";
export type { Proposal } from "./amend/proposal.ts";
export type { Publication, PublicationOutcome, Publisher } from "./amend/publication.ts";
export type { Refusal } from "./amend/refusal.ts";
export { type ReplayResult, replay } from "./amend/replay.ts";
export type { Opinion, OpinionRequest } from "./amend/second-opinion.ts";
export { type UnshownText, unshownSentence } from "./amend/unshown.ts";
export type { Verdict } from "./amend/verdict.ts";
export { assemble } from "./prompt/assemble.ts";
export type { Attachment, AttachmentKind } from "./prompt/attachment.ts";
export { countCharacters } from "./prompt/character.ts";
export { type Charter, defineCharter, type GivesWayRule, type Limit, type PlacedSection } from "./prompt/charter.ts";
export type { Cut, Omission } from "./prompt/cut.ts";
export { diff, type Hunk, unified } from "./prompt/diff.ts";
export type { Edition } from "./prompt/edition.ts";
export type { Embedder } from "./prompt/embedder.ts";
export { fenced, quoted } from "./prompt/fence.ts";
export { gather, type ReadingTimeout, withStanding } from "./prompt/gather.ts";
export { type InertOptions, inert } from "./prompt/inert.ts";
export type { Layer } from "./prompt/layer.ts";
export type { Actor, Mutability } from "./prompt/mutability.ts";
export type { Notice } from "./prompt/notice.ts";
export type { Part, Trust } from "./prompt/part.ts";
export { Problem } from "./prompt/problem.ts";
export type { Prompt, Sha256, TokenCount } from "./prompt/prompt.ts";
export { empty, fromText, join, present, type Reading, unavailable } from "./prompt/reading.ts";
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
  type SentSpan,
} from "./prompt/receipt.ts";
export type { Room } from "./prompt/room.ts";
export type { Section, Stability } from "./prompt/section.ts";
export type { HistorySource, RequestTexts, SentHistory } from "./prompt/sent-history.ts";
export type { Readings, Source, SourceContext, Standing, ToolLine } from "./prompt/source.ts";
export { type Occurrence, type SectionSpan, type Span, why } from "./prompt/span.ts";
export type { Tokenizer } from "./prompt/tokens.ts";
