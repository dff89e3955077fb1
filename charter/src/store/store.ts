import { badArgument, checkedCalls, checkNames, clockOf, isObject, kindOf } from "../prompt/argument.ts";
import { createIdentities, type Identities } from "./accounts/identities.ts";
import { createTokens, type Tokens } from "./accounts/tokens.ts";
import { createInvitations, createUsers, type Invitations, type Users } from "./accounts/users.ts";
import { type Agents, createAgents } from "./agents.ts";
import { type AmendmentHistory, createAmendmentHistory } from "./amendments/amendments.ts";
import { createHeldProposals, type HeldProposals } from "./amendments/held-proposals.ts";
import { createJudge, type Judge } from "./amendments/judge.ts";
import { createPropose, type Propose } from "./amendments/propose.ts";
import { createStandings, type Standings } from "./amendments/standing.ts";
import { type Automata, createAutomata } from "./automata/automata.ts";
import { type ChainStore, createChainStore } from "./chain/chain.ts";
import { type ChannelUpdates, createUpdates, updateWork } from "./channels/channel-updates.ts";
import { createDispatches, type Dispatches, dispatchWork } from "./channels/dispatches.ts";
import { createLinks, type Links } from "./channels/links.ts";
import { type Conversations, createConversations } from "./conversations/conversations.ts";
import { createInbox, type Inbox } from "./conversations/inbox.ts";
import { createIds, type StoreDeps } from "./deps.ts";
import { createEvents, type Events } from "./event.ts";
import type { Database, Home } from "./home/database.ts";
import { type Query, raw, sql } from "./home/sql.ts";
import type { CheckpointOptions, CheckpointResult } from "./lifecycle/checkpoint.ts";
import type { ErasableData, EraseOptions, EraseResult, RemoveResult } from "./lifecycle/erase.ts";
import type { UserExport } from "./lifecycle/export.ts";
import type { CheckpointProof, RestoreOptions } from "./lifecycle/restore.ts";
import type { RetainResult, Retention } from "./lifecycle/retain.ts";
import type { SharedRevision } from "./lifecycle/shared-revisions.ts";
import { createMemory, type Memory } from "./memory/memory.ts";
import { createOverview, type Overview } from "./overview.ts";
import { createPublications, type Publications } from "./publications/publications.ts";
import { createRuns, type Runs, runWork } from "./schedules/runs.ts";
import { createSchedules, type Schedules } from "./schedules/schedules.ts";
import { checkVersion } from "./schema.ts";
import type { UserSelector } from "./scope.ts";
import { createTexts } from "./texts/text.ts";
import { createToolPins, type ToolPins } from "./tool-pins.ts";
import { type Attachments, createAttachments } from "./turns/attachments.ts";
import { createHeldCalls, type HeldCalls } from "./turns/held-calls.ts";
import { createSessions, type Sessions } from "./turns/sessions.ts";
import { createSpending, type Spending } from "./turns/spending.ts";
import { createSteps, type Steps } from "./turns/steps.ts";
import { createTurns, type Turns } from "./turns/turns.ts";
import { createRefusedKinds, createWindows, type RefusedKinds, type Windows } from "./windows.ts";
import { isOpen } from "./work.ts";

/** Database of everything about agents, users, turns and conversations. A section's text changes only through `propose`. */
export type Store = Lifecycle & {
  readonly home: Home;
  readonly agents: Agents;
  readonly users: Users;
  readonly propose: Propose;
  readonly judge: Judge;
  readonly standings: Standings;
  readonly history: AmendmentHistory;
  readonly held: HeldProposals;
  readonly calls: HeldCalls;
  /** Counts what waits for a person, by agent. */
  readonly waiting: CountWaiting;
  /** Answers what an operator of all agents looks at. */
  readonly overview: Overview;
  /** Counts what waits for a process. */
  readonly work: OpenWork;
  readonly memory: Memory;
  readonly conversations: Conversations;
  readonly inbox: Inbox;
  readonly automata: Automata;
  readonly chain: ChainStore;
  readonly sessions: Sessions;
  readonly turns: Turns;
  readonly attachments: Attachments;
  readonly steps: Steps;
  readonly spending: Spending;
  readonly events: Events;
  readonly schedules: Schedules;
  readonly runs: Runs;
  readonly links: Links;
  readonly updates: ChannelUpdates;
  readonly dispatches: Dispatches;
  readonly publications: Publications;
  readonly pins: ToolPins;
  readonly tokens: Tokens;
  readonly invitations: Invitations;
  readonly identities: Identities;
  readonly windows: Windows;
  readonly refusedKinds: RefusedKinds;
  readonly close: () => Promise<void>;
};

/** A clock and a source of randomness, for tests. */
export type StoreOptions = {
  readonly now?: () => Date;
  readonly random?: (bytes: Uint8Array) => void;
};

function checkHome(home: Home): void {
  if (isObject(home) && typeof home.look === "function") return;
  // An address is not repeated in the error, because a password stands in it.
  const made = typeof home === "string" && /^postgres(?:ql)?:/.test(home) ? "postgres(url)" : 'sqlite("charter.db")';
  throw badArgument(
    `The home that createStore was given is ${kindOf(home)}.`,
    `Say where it is: createStore(${made}).`,
  );
}

/**
 * Opens a store. A new database gets its tables; one with an older or newer schema is refused with a Problem that says
 * what to do.
 */
export async function createStore(home: Home, options: StoreOptions = {}): Promise<Store> {
  checkHome(home);
  checkNames<StoreOptions>("createStore", options, ["now", "random"]);
  await checkVersion(home);
  const clock = clockOf("createStore", options.now ?? (() => new Date()));
  const random = options.random ?? ((bytes) => process.getBuiltinModule("node:crypto").randomFillSync(bytes));
  const now = () => clock().toISOString();
  const parts = { home, texts: createTexts(), now, newId: createIds(clock, random) };
  const events = createEvents(home, now);
  const store: Store = {
    home,
    agents: createAgents(home, now),
    users: createUsers(home, now),
    propose: createPropose(parts),
    judge: createJudge(parts),
    standings: createStandings(home, parts.texts, events),
    history: createAmendmentHistory(home, parts.texts),
    held: createHeldProposals(parts),
    calls: createHeldCalls(parts),
    waiting: createWaiting(home),
    overview: createOverview(home),
    work: createOpenWork(home),
    memory: createMemory(parts),
    conversations: createConversations(parts),
    inbox: createInbox(parts),
    automata: createAutomata(parts),
    chain: createChainStore(parts),
    sessions: createSessions(parts),
    turns: createTurns(parts),
    attachments: createAttachments(parts),
    steps: createSteps(home, parts.texts),
    spending: createSpending(parts),
    events,
    schedules: createSchedules(parts),
    runs: createRuns(parts),
    links: createLinks(parts, random),
    updates: createUpdates(parts),
    dispatches: createDispatches(parts),
    publications: createPublications(parts),
    pins: createToolPins(parts),
    tokens: createTokens(parts, random),
    invitations: createInvitations(parts, random),
    identities: createIdentities(parts, random),
    windows: createWindows(parts),
    refusedKinds: createRefusedKinds(parts),
    ...createLifecycle(parts),
    close: home.close,
  };
  return checkedCalls("store", store, { except: ["home"] });
}

/** The part of `Store` for backups and data protection: checkpoint, export, erase, retain. */
export type Lifecycle = {
  readonly checkpoint: {
    /** Writes everything, or everything of one agent, into one file. */
    readonly save: (file: string, options?: CheckpointOptions) => Promise<CheckpointResult>;
    /** Restores all that such a file holds, or nothing. */
    readonly restore: (file: string, options?: RestoreOptions) => Promise<CheckpointProof>;
  };
  /** Returns everything that is stored about one user; with `prompts: false` without the prompts that were sent. */
  readonly export: (who: UserSelector & { readonly prompts?: boolean }) => Promise<UserExport>;
  /** Returns what `erase` would delete. */
  readonly erasable: (who: UserSelector) => Promise<ErasableData>;
  /** Deletes everything about one user. */
  readonly erase: (who: EraseOptions) => Promise<EraseResult>;
  /** Lists the revisions of text that all users read, and that came of users' turns. */
  readonly sharedRevisions: (about?: Partial<UserSelector>) => Promise<SharedRevision[]>;
  /**
   * Removes an agent from every list, for good; with `erase`, its text is deleted as well. Its row stays, so that its hash chains
   * can be proved and no other agent gets its name.
   */
  readonly remove: (agent: string, options?: { readonly erase?: boolean }) => Promise<RemoveResult>;
  /** Deletes what is older than the retention allows. */
  readonly retain: (retention: Retention, options?: { readonly dryRun?: boolean }) => Promise<RetainResult>;
};

function createLifecycle(deps: StoreDeps): Lifecycle {
  return {
    checkpoint: {
      save: async (...asked) => (await import("./lifecycle/checkpoint.ts")).saveCheckpoint(deps, ...asked),
      restore: async (...asked) => (await import("./lifecycle/restore.ts")).restoreCheckpoint(deps, ...asked),
    },
    export: async (who) => (await import("./lifecycle/export.ts")).exportUser(deps, who),
    erasable: async (who) => (await import("./lifecycle/erase.ts")).findUser(deps, who),
    erase: async (who) => (await import("./lifecycle/erase.ts")).eraseUser(deps, who),
    sharedRevisions: async (about = {}) => {
      const { findShared } = await import("./lifecycle/shared-revisions.ts");
      return deps.home.read("everything", (db) => findShared(deps, db, about));
    },
    remove: async (...asked) => (await import("./lifecycle/erase.ts")).removeAgent(deps, ...asked),
    retain: async (...asked) => (await import("./lifecycle/retain.ts")).retain(deps, ...asked),
  };
}

/** Amount of work that waits for an agent, by the channel it came from or goes to. */
export type WorkCount = { readonly agent: string; readonly channel: string; readonly count: number };

/** Number of overdue rows, the time of the oldest, and the reason of the newest. */
type OverdueCount = { readonly count: number; readonly since: string | null; readonly because: string | null };

/**
 * `store.work`: the work in the store that waits for a process, and the work that no process has done.
 *
 * @opaque
 */
export type OpenWork = {
  /** Counts unanswered messages of chats and inboxes, messages not yet sent, and runs that have not ended. */
  readonly open: () => Promise<Readonly<Record<"updates" | "messages" | "dispatches" | "runs", readonly WorkCount[]>>>;
  /** Counts what has waited since before `late`, and what was given up after `since`; times are ISO 8601. */
  readonly overdue: (about: { readonly late: string; readonly since: string }) => Promise<OverdueWork>;
};

/** Work that a service left undone. `expected`: there are schedules or linked chats, so that a service is needed at all. */
export type OverdueWork = Readonly<
  Record<
    "schedules" | "runs" | "failedRuns" | "updates" | "failedUpdates" | "dispatches" | "failedDispatches",
    OverdueCount
  >
> & { readonly expected: boolean };

function createOpenWork(home: Home): OpenWork {
  return {
    open: () =>
      home.read("everything", async (db) => ({
        updates: await openIn(db, "updates", "channel", isOpen(updateWork)),
        messages: await openIn(db, "inbox", "'inbox'", sql`status in ('waiting', 'taken')`),
        dispatches: await openIn(db, "dispatches", "channel", isOpen(dispatchWork)),
        runs: await openIn(db, "runs", "'scheduled'", isOpen(runWork)),
      })),
    overdue: ({ late, since }) =>
      home.read("everything", async (db) => ({
        schedules: await overdueIn(db, "schedules", "next_at", sql`ended_at is null and next_at <= ${late}`),
        runs: await overdueIn(db, "runs", "due_at", sql`state = 'waiting' and next_try_at <= ${late}`),
        failedRuns: await overdueIn(db, "runs", "ended_at", sql`state = 'failed' and ended_at > ${since}`, "reason"),
        updates: await overdueIn(db, "updates", "at", sql`state = 'waiting' and at <= ${late}`, "failure"),
        failedUpdates: await overdueIn(db, "updates", "at", sql`state = 'dead' and at > ${since}`, "failure"),
        dispatches: await overdueIn(db, "dispatches", "at", sql`state = 'waiting' and at <= ${late}`, "failure"),
        failedDispatches: await overdueIn(db, "dispatches", "at", sql`state = 'dead' and at > ${since}`, "failure"),
        expected: Boolean(
          await db.one(sql`select 1 as found where exists (select 1 from schedules where ended_at is null)
            or exists (select 1 from links)`),
        ),
      })),
  };
}

async function openIn(db: Database, table: string, channel: string, where: Query): Promise<WorkCount[]> {
  const rows = await db.all<WorkCount>(sql`select agent, ${raw(channel)} as channel, count(*) as count
    from ${raw(table)} where ${where} group by agent, 2 order by agent, 2`);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

async function overdueIn(
  db: Database,
  table: string,
  at: string,
  where: Query,
  because = "null",
): Promise<OverdueCount> {
  const last = sql`select ${raw(because)} from ${raw(table)} where ${where} order by ${raw(at)} desc, id desc limit 1`;
  const row = await db.one<OverdueCount>(
    sql`select count(*) as count, min(${raw(at)}) as since, (${last}) as because from ${raw(table)} where ${where}`,
  );
  return { since: null, because: null, ...row, count: Number(row?.count ?? 0) };
}

/** Counts the proposals, calls and tools of each agent that wait for a person; an agent with none is left out. */
export type CountWaiting = () => Promise<ReadonlyMap<string, number>>;

function createWaiting(home: Home): CountWaiting {
  return () =>
    home.read("everything", async (db) => {
      const of = (table: string) => sql`select distinct agent, id from ${raw(table)} where status = 'waiting'`;
      const rows = await db.all<{ agent: string; count: number }>(sql`select agent, count(*) as count
        from (${of("held")} union all ${of("held_calls")} union all ${of("tool_pins")}) waiting group by agent`);
      return new Map(rows.map(({ agent, count }) => [agent, Number(count)]));
    });
}
