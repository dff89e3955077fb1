import { createAgent } from "../../agent/agent.ts";
import type { Watcher } from "../../agent/agent-event.ts";
import type { AttachmentSettings } from "../../agent/attachments/attachment-settings.ts";
import type { InputPart } from "../../agent/attachments/input-part.ts";
import type { TurnOutcome } from "../../agent/outcome.ts";
import { createToolsets } from "../../agent/toolset.ts";
import type { AskMode } from "../../agent/turn/asking/ask-mode.ts";
import type { CompactResult } from "../../agent/turn/session/compact-session.ts";
import { isIdle } from "../../agent/turn/session/find-session.ts";
import type { SessionSettings } from "../../agent/turn/session/session-settings.ts";
import { createLearnedWindows } from "../../agent/turn/window/learned-windows.ts";
import { keptWindow } from "../../agent/turn/window/window.ts";
import type { RunTurnOptions } from "../../agent/turn-input.ts";
import type { Scope } from "../../amend/amendment.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import { baselineOf, turnsBeside } from "../../delivery/baseline.ts";
import { historyOf, type PastTurn } from "../../delivery/history.ts";
import type { Model } from "../../delivery/model.ts";
import { offerTokens } from "../../delivery/prediction.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { loadReceiverTokenizer } from "../../delivery/receiver-tokenizer.ts";
import type { ReceiverChangeOptions } from "../../delivery/session-quote.ts";
import type { AgentMcp } from "../../host/mcp/agent-mcp.ts";
import { type LoadedList, loadList } from "../../host/models/load-list.ts";
import { modelNames } from "../../host/models/model-list.ts";
import { previewPrompt } from "../../host/preview.ts";
import type { Notice } from "../../prompt/notice.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Store } from "../../store/store.ts";
import type { SessionOverview } from "../../store/turns/session-list.ts";
import { declaredTurnNow } from "../shared/directory-turn.ts";
import { loadAgent } from "../shared/load-agent.ts";
import type { CommandModels } from "../shared/models.ts";
import type { CodingSetup } from "./coding.ts";

type TalkOptions = {
  readonly store: Store;
  readonly models: Pick<CommandModels, "load">;
  readonly mcp: Pick<AgentMcp, "withTools">;
  readonly agent: string;
  readonly user: string;
  readonly channel: string;
  /** Where the terminal stands, for users whose zone nobody said. */
  readonly zone: string;
  /** As it was set with --window, or for the agent. */
  readonly window?: number | undefined;
  /** When a session is idle, and whether one has all channels. */
  readonly sessionSettings: SessionSettings;
  /** What may come with an input. */
  readonly attachments: AttachmentSettings;
  /** Before which calls whoever sits there is asked. */
  readonly ask: AskMode;
  readonly lock?: string | undefined;
  /** As it was named with --charter. */
  readonly charter?: string | undefined;
  /** Of a coding agent. */
  readonly coding?: CodingSetup | undefined;
};

/** A talk with one agent: who with whom, by which model, in which session. Commands look at it and change it. */
export type Talk = TalkOptions & {
  readonly scope: Scope;
  readonly model: () => Model;
  /** Goes on with another model, in the same session. */
  readonly useModel: (name: string) => Promise<void>;
  /** The session the next turn belongs to; nothing when it opens one. */
  readonly session: () => string | undefined;
  readonly useSession: (session: string) => void;
  /** The newest sessions of this user with this agent that can go on. */
  readonly sessions: (limit: number) => Promise<SessionOverview[]>;
  /** Sums up the history of the session. */
  readonly compact: (words: string) => Promise<CompactResult>;
  /** The session as this receiver would be sent it. */
  readonly historyFor: (receiver: Receiver) => Promise<ReceiverChangeOptions>;
  /** The last turn of the session, where one was taken. */
  readonly lastTurn: () => Promise<string | undefined>;
  readonly runTurn: (
    input: string | readonly InputPart[],
    watching: Pick<RunTurnOptions, "approve"> & { signal: AbortSignal; on: Watcher },
    /** Somebody sits there and typed it. */
    isTyped?: boolean,
  ) => Promise<TurnOutcome>;
  /** The agent as it is now. */
  readonly declaredTurn: () => Promise<DeclaredTurn>;
  /** The prompt the next request would be made from. */
  readonly nextPrompt: () => Promise<Prompt>;
};

export async function createTalk(talking: TalkOptions, names: readonly string[]): Promise<Talk> {
  const { store, models, agent: name, user, channel, zone, window, lock, charter, coding, sessionSettings } = talking;
  const workbench = coding?.workbench;
  const scope = { agent: name, user };
  const given = async (): Promise<DeclaredTurn> => {
    if (workbench) return withTools(declaredTurnNow(await workbench.declare(), zone));
    return withTools((await loadAgent(store, { agent: name, user, channel, lock, charter })).declaredTurn);
  };
  const withTools = async (one: DeclaredTurn) => talking.mcp.withTools(await store.agents.get(name), one);
  let list = await loadList(names, models.load);
  let [model] = list;
  // What was set is of the model the talk began with.
  const first = model.receiver.name;
  const windowOf = ({ receiver }: Model, declared: number | undefined) =>
    receiver.name === first ? (window ?? declared) : undefined;
  const open = ([model, ...others]: LoadedList) => {
    const withOwnWindow = async () => {
      const { window: declared, ...one } = await given();
      const set = windowOf(model, declared);
      return set === undefined ? one : { ...one, window: set };
    };
    return createAgent({
      ...{ name, charter: withOwnWindow, store, operator: true, sessions: sessionSettings },
      ...{ model: [model, ...others], loadModel: models.load },
      ...{ attachments: talking.attachments, limits: coding?.limits ?? {} },
    });
  };
  const windows = createLearnedWindows(store, () => new Date());

  let agent = open(list);
  const latest = await store.sessions.latest(scope, sessionSettings.across ? null : channel);
  // Which one a turn goes on with is the agent's to say, until it is known here.
  let session = latest && !isIdle(latest, sessionSettings, new Date()) ? latest.id : undefined;
  let isNew = false;
  /** Someone went back to it, however long ago it was used. */
  let isChosen = false;
  const wantedSession = async (): Promise<string | undefined> => {
    if (isNew || isChosen || session === undefined) return isNew ? "new" : session;
    return isIdle(await store.sessions.get(session), sessionSettings, new Date()) ? undefined : session;
  };
  let turn: string | undefined;
  const told = new Set<string>();
  /** What is wrong with a file is said once, not with every turn. */
  const isNews = ({ code, message }: Notice) => {
    const words = `${code} ${message}`;
    const known = told.has(words);
    told.add(words);
    return !known;
  };

  return {
    ...talking,
    scope,
    declaredTurn: given,
    model: () => model,
    useModel: async (wanted) => {
      list = await loadList(modelNames(wanted), models.load);
      [model] = list;
      agent = open(list);
    },
    session: () => session,
    useSession: (wanted) => {
      isNew = wanted === "new";
      isChosen = !isNew;
      session = isNew ? undefined : wanted;
      turn = undefined;
    },
    sessions: (limit) => store.sessions.list({ ...scope, open: true, limit }),
    compact: async (words) => {
      if (session === undefined)
        throw new Problem("nothing-said", "Nothing was said yet in this session.", "There is nothing to summarise.");
      return agent.compact({ user, channel, session, ...(words === "" ? {} : { words }) });
    },
    historyFor: async (receiver) => {
      const { offers } = await createToolsets([])(await given());
      return { offers, ...(await sentAnew(store, session, receiver)) };
    },
    lastTurn: async () => turn ?? (session === undefined ? undefined : (await store.sessions.newestTurn(session))?.id),
    runTurn: async (input, { on, ...watching }, isTyped = false) => {
      const wanted = await wantedSession();
      const typed = isTyped ? { typed: wordsIn(input) } : {};
      const asked = { input, user, channel, zone, ...(wanted === undefined ? {} : { session: wanted }), ...typed };
      const watcher: Watcher = (event) => {
        if (event.kind === "turn-start") [session, turn, isNew, isChosen] = [event.session, event.turn, false, false];
        if (event.kind === "notice" && event.notice.code !== "session-new" && !isNews(event.notice)) return;
        on(event);
      };
      const outcome = await agent.runTurn(asked, { ...watching, on: watcher, ask: talking.ask });
      for (const notice of workbench?.faults() ?? []) watcher({ kind: "notice", turn: outcome.turn, notice });
      return outcome;
    },
    nextPrompt: async () => {
      const one = await given();
      const { lines, offers } = await createToolsets([])(one);
      const tokenizer = await loadReceiverTokenizer(model.receiver.tokenizer);
      const { window } = await keptWindow({ model, windows, asked: { window: windowOf(model, one.window) } });
      const { baseline } = await sentAnew(store, session, model.receiver);
      const within = { window, toolTokens: offerTokens(offers, tokenizer), before: baseline?.edition };
      const room = { tokenizer, ...(one.edition === undefined ? {} : { edition: one.edition }) };
      return previewPrompt({ ...one, within, turn: { zone, ...one.turn, tools: lines(new Map()) } }, room);
    },
  };
}

function wordsIn(input: string | readonly InputPart[]): string {
  return typeof input === "string" ? input : input.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n\n");
}

/** A session as another model would be sent it; what is native to those before it is counted, not sent. */
async function sentAnew(
  store: Store,
  id: string | undefined,
  receiver: Receiver,
): Promise<Omit<ReceiverChangeOptions, "offers">> {
  const tokenizer = await loadReceiverTokenizer(receiver.tokenizer);
  if (id === undefined) return { baseline: null, messages: [], natives: 0, tokenizer };
  const baseline = baselineOf((await store.sessions.get(id)).baseline);
  const turns = (await store.sessions.history(id, turnsBeside(baseline?.summary))) as readonly PastTurn[];
  const messages = historyOf(turns, baseline, receiver).flatMap((one) => one.messages);
  const isNative = (one: { readonly native?: unknown }) => one.native !== undefined;
  const made = turns.flatMap(({ steps }) => steps.flatMap(({ result }) => result?.answer ?? [])).filter(isNative);
  const kept = messages.filter((one) => one.role === "assistant" && isNative(one));
  return { baseline, messages, natives: made.length - kept.length, tokenizer };
}
