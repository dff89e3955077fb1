import { identities, seals, tokens, users } from "./accounts/account-tables.ts";
import { agents, charters, heads, publications, refusedKinds, toolPins, windows } from "./agent-tables.ts";
import { amendments, held, standings } from "./amendments/amendments.ts";
import { automata, totals } from "./automata/automaton.ts";
import { chainBalances, chainBlocks, chainCursors, chainMessages, chainReplies } from "./chain/chain-message.ts";
import { dispatches, linkCodes, links, updates } from "./channels/channel-tables.ts";
import { conversations, exchanges, inbox, lanes, messageIds, outbox } from "./conversations/inbox-row.ts";
import type { Table } from "./home/table.ts";
import { memories, vectors } from "./memory/note.ts";
import { runs, schedules } from "./schedules/schedule-tables.ts";
import { texts } from "./texts/packing.ts";
import { attachments, hashChains, heldCalls, spending, steps } from "./turns/step-tables.ts";
import { events, sessions, turns, turnWords } from "./turns/turn-tables.ts";

/** All tables of the store, in the order in which checkpoints have them. */
export const storeTables: readonly Table[] = [
  ...[agents, users, texts, amendments, standings, held, memories, vectors],
  ...[conversations, exchanges, inbox, outbox, sessions, turns, turnWords, steps, hashChains, events],
  ...[schedules, spending, heldCalls, runs, links, linkCodes, identities, updates, dispatches],
  ...[automata, totals, lanes, messageIds, publications, heads, toolPins, charters],
  ...[chainCursors, chainBlocks, chainMessages, chainReplies, chainBalances],
  ...[attachments, tokens, windows, refusedKinds, seals],
];
