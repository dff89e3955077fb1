import type { AttachmentSettings, InputPart } from "../../agent/attachments.ts";
import type { CompactResult } from "../../agent/compact-session.ts";
import { needsFiles } from "../../agent/declaration.ts";
import type { AskMode } from "../../agent/turn/ask-reason.ts";
import { isIdle, type SessionSettings } from "../../agent/turn/live-session.ts";
import type { RunTurnOptions, TurnOutcome, Watcher } from "../../agent/turn-interface.ts";
import type { FileAccess } from "../../agent/workspace/workspace.ts";
import type { Scope } from "../../amend/amendment.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import { baselineOf, turnsBeside } from "../../delivery/baseline.ts";
import { historyOf } from "../../delivery/history.ts";
import type { Model } from "../../delivery/model.ts";
import type { ReceiverChangeOptions } from "../../delivery/prediction.ts";
import { loadReceiverTokenizer, type Receiver } from "../../delivery/receiver.ts";
import type { Host } from "../../host/host.ts";
import type { HostPlace } from "../../host/host-options.ts";
import type { Workbench } from "../../host/workbench.ts";
import { commandCaller } from "../../operations/caller.ts";
import type { DirectoryValues, Fields, ValuesOf } from "../../operations/field.ts";
import type { Operation, OperationContext } from "../../operations/operation.ts";
import { diagnosticLines, oneLine } from "../../operations/print/columns.ts";
import { wrapText } from "../../operations/print/plain-text.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Notice } from "../../prompt/reading.ts";
import { projectFingerprint, projectTrust } from "../../sources/trust/trust.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import type { SessionOverview } from "../../store/turns/sessions.ts";
import { directoryOf } from "../shared/host.ts";
import { checkNoDirectory } from "../shared/prompt-options.ts";
import type { Here } from "../shared/trust/here.ts";
import { type AskBelow, askFirst, askTrust, trustedAgent } from "../shared/trust/trusted-database.ts";
import type { SlashCommand } from "../terminal/conversation.ts";
import type { AskQuestion } from "../terminal/lines.ts";
import { output, type Screen } from "../terminal/screen.ts";

type TalkOptions = {
  readonly agent: string;
  readonly user: string;
  readonly channel: string;
  /** Settings of sessions: when one is idle, and whether it spans all channels. */
  readonly sessionSettings: SessionSettings;
  /** Settings of attachments. */
  readonly attachments: AttachmentSettings;
  /** Mode that decides before which calls the person is asked. */
  readonly ask: AskMode;
  /** Setup of a coding agent. */
  readonly coding?: CodingSetup | undefined;
};

/** A talk with one agent: its user, model and session. Commands read and change it. */
export type Talk = TalkOptions & {
  readonly store: Store;
  readonly scope: Scope;
  /** Returns the host that runs the agent, in the place it is talked to. */
  readonly host: () => Host;
  readonly model: () => Model;
  /** Switches to another model, in the same session. */
  readonly useModel: (name: string) => Promise<void>;
  /** Returns the session of the next turn; undefined if it starts one. */
  readonly session: () => string | undefined;
  readonly useSession: (session: string) => void;
  /** Lists the newest sessions of this user with this agent that can go on. */
  readonly sessions: (limit: number) => Promise<SessionOverview[]>;
  /** Summarises the history of the session. */
  readonly compact: (words: string) => Promise<CompactResult>;
  /** Returns the session as this receiver would be sent it. */
  readonly historyFor: (receiver: Receiver) => Promise<ReceiverChangeOptions>;
  /** Returns the last turn of the session, if there is one. */
  readonly lastTurn: () => Promise<string | undefined>;
  readonly runTurn: (
    input: string | readonly InputPart[],
    watching: Pick<RunTurnOptions, "approve"> & { signal: AbortSignal; on: Watcher },
    /** Shows that a person typed it, and can be asked. */
    isTyped?: boolean,
  ) => Promise<TurnOutcome>;
  /** Returns the agent's declaration as it is now. */
  readonly declaredTurn: () => Promise<DeclaredTurn>;
  /** Returns the prompt of the next request. */
  readonly nextPrompt: () => Promise<Prompt>;
};

/** Creates a talk. `names` are the named models, and the window of the first, which replace the agent's. */
export async function createTalk(
  shared: Host,
  talking: TalkOptions,
  names: Pick<HostPlace, "model" | "window"> = {},
): Promise<Talk> {
  const { agent: name, user, channel, coding, sessionSettings } = talking;
  const { store } = shared;
  const scope = { agent: name, user };
  const at = (more: HostPlace) => shared.at({ ...coding?.place, ...names, ...more });
  let host = at({});
  let model = await host.modelOf(name);
  const first = model.receiver.name;
  const latest = await store.sessions.latest(scope, sessionSettings.across ? null : channel);
  // The agent decides which session a turn continues, until that is known here.
  let session = latest && !isIdle(latest, sessionSettings, shared.clock()) ? latest.id : undefined;
  let isNew = false;
  /** Set when the user went back to the session, however old it is. */
  let isChosen = false;
  const wantedSession = async (): Promise<string | undefined> => {
    if (isNew || isChosen || session === undefined) return isNew ? "new" : session;
    return isIdle(await store.sessions.find(session), sessionSettings, shared.clock()) ? undefined : session;
  };
  const nextRequest = async () => host.nextRequest({ ...scope, channel, session: await wantedSession() });
  let turn: string | undefined;
  const shownNotices = new Set<string>();
  /** Filters notices, so that a file's fault is shown once and not with every turn. */
  const isNews = ({ code, message }: Notice) => {
    const words = `${code} ${message}`;
    const known = shownNotices.has(words);
    shownNotices.add(words);
    return !known;
  };

  return {
    ...talking,
    store,
    scope,
    host: () => host,
    declaredTurn: async () => (await host.snapshot({ ...scope, channel })).declaredTurn,
    model: () => model,
    useModel: async (wanted) => {
      const next = at({ model: wanted, window: null });
      model = await next.modelOf(name);
      // The window was set for the model that the talk began with.
      host = model.receiver.name === first ? at({ model: wanted }) : next;
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
      return host.compact({ ...scope, channel, session, ...(words === "" ? {} : { words }) });
    },
    historyFor: async (receiver) => {
      const { tools } = (await nextRequest()).request;
      return { offers: tools, ...(await sentAnew(store, session, receiver)) };
    },
    lastTurn: async () => turn ?? (session === undefined ? undefined : (await store.sessions.newestTurn(session))?.id),
    runTurn: async (input, { on, ...watching }, isTyped = false) => {
      const sessionId = await wantedSession();
      const typed = isTyped ? { typed: wordsIn(input) } : {};
      const turnInput = {
        ...scope,
        input,
        channel,
        ...(sessionId === undefined ? {} : { session: sessionId }),
        ...typed,
      };
      const watcher: Watcher = (event) => {
        if (event.kind === "turn-start") [session, turn, isNew, isChosen] = [event.session, event.turn, false, false];
        if (event.kind === "notice" && event.notice.code !== "session-new" && !isNews(event.notice)) return;
        on(event);
      };
      const outcome = await host.runTurn(turnInput, { ...watching, on: watcher, ask: talking.ask });
      for (const notice of coding?.place.workbench.faults() ?? [])
        watcher({ kind: "notice", turn: outcome.turn, notice });
      return outcome;
    },
    nextPrompt: async () => (await nextRequest()).prompt,
  };
}

function wordsIn(input: string | readonly InputPart[]): string {
  return typeof input === "string" ? input : input.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n\n");
}

/** Session as another model would be sent it. Parts native to earlier models are counted, not sent. */
async function sentAnew(
  store: Store,
  id: string | undefined,
  receiver: Receiver,
): Promise<Omit<ReceiverChangeOptions, "offers">> {
  const tokenizer = await loadReceiverTokenizer(receiver.tokenizer);
  if (id === undefined) return { baseline: null, messages: [], natives: 0, tokenizer };
  const baseline = baselineOf((await store.sessions.get(id)).baseline);
  const turns = await store.sessions.history(id, turnsBeside(baseline?.summary));
  const messages = historyOf(turns, baseline, receiver).flatMap((one) => one.messages);
  const isNative = (one: { readonly native?: unknown }) => one.native !== undefined;
  const nativeParts = turns
    .flatMap(({ steps }) => steps.flatMap(({ result }) => result?.answer ?? []))
    .filter(isNative);
  const nativeMessages = messages.filter((one) => one.role === "assistant" && isNative(one));
  return { baseline, messages, natives: nativeParts.length - nativeMessages.length, tokenizer };
}

/** Context of operations: a person at the terminal has the database, and so acts as its operator. */
export function contextOf({ store, host, user: operator }: Talk): OperationContext {
  const clock = () => new Date();
  return { store, host: async () => host(), caller: commandCaller, clock, operator, service: {} };
}

/** Runs an operation in a chat. */
export async function ran<Input extends Fields, Answer>(
  talk: Talk,
  { run }: Operation<Input, Answer>,
  input: ValuesOf<Input>,
): Promise<Answer> {
  return (run as NonNullable<typeof run>)(contextOf(talk), input);
}

const { resolve } = process.getBuiltinModule("node:path");

/** Workbench of a coding agent, and a way to ask for trust in its project again. */
type CodingSetup = {
  readonly place: HostPlace & { readonly workbench: Workbench };
  /** Asks for trust; returns lines to show if the project is not trusted and nobody could be asked. */
  readonly askForTrust: (ask?: AskBelow) => Promise<readonly string[]>;
};

/** Opens the workbench of an agent that needs files; undefined for others. */
export async function codingSetupFor(
  known: AgentRecord,
  store: Store,
  given: DirectoryValues & { readonly here: Here; readonly charter?: string | undefined },
  mayAsk: boolean,
  files?: FileAccess,
): Promise<CodingSetup | undefined> {
  const { agent, declaration } = await trustedAgent(known, store, given);
  const { home } = store;
  if (!needsFiles(declaration)) {
    const { trust: _trust, ...others } = given;
    checkNoDirectory(others, `“${agent.name}” reads none`);
    return undefined;
  }
  const values = directoryOf(agent, given);
  const { isTrusted, placesOf, trustHint, trustNotices, workbenchOf } = await import("../shared/directory.ts");
  const places = placesOf(values);
  // A person who was just asked about this directory is not asked again.
  const decision = given.here.saidOf(places.cwd);
  let once = decision && "fingerprint" in decision ? decision.fingerprint : undefined;
  const trusted = () => (once !== undefined && once === projectFingerprint(places)) || isTrusted(values, places);
  if (!mayAsk && !trusted())
    for (const { code, message } of trustNotices(values, places)) process.stderr.write(`! ${code}: ${message}\n`);
  const settleTrust = async (ask?: AskBelow) => {
    if (values.trust === false || trusted() || projectTrust(places).gated.length === 0) return [];
    if (ask) {
      const fingerprint = projectFingerprint(places);
      once = (await askTrust(places, ask)) === "once" ? fingerprint : undefined;
    }
    const hint = ask ? undefined : trustHint(values, places);
    return hint === undefined ? [] : [hint];
  };
  if (mayAsk && decision === undefined) await settleTrust(askFirst);
  const workbench = workbenchOf(values, {
    trusted,
    limits: { commandSeconds: 600 },
    declaration,
    ...(files === undefined ? {} : { files }),
    // The database file is protected if it is inside the directory: only the store may read or write it.
    protected: home.place.includes("://") ? [] : [resolve(home.place)],
  });
  await checkReadable(workbench);
  return { place: { workbench, withoutSettings: agent !== known }, askForTrust: settleTrust };
}

/** Refuses to start an agent whose own prompt file cannot be read: it would start as another one. */
async function checkReadable({ project, base }: Workbench): Promise<void> {
  const turn = { now: new Date(0).toISOString(), tools: [], standing: {} };
  for (const source of [project.system, project.append]) {
    const reading = await source(turn);
    if (reading.status !== "unavailable") continue;
    throw new Problem(
      "prompt-unreadable",
      `The prompt of “${base.charter.name}” cannot be read: ${reading.reason}`,
      "Make the file readable, or take it away; charter files lists what is read.",
    );
  }
}

/** Commands about the workbench. Files are read each turn anyway; extensions, and what they add, only on reload. */
export function workbenchCommands({ place: { workbench }, askForTrust }: CodingSetup, screen: Screen): SlashCommand[] {
  const fitted = (lines: readonly string[]) => lines.flatMap((line) => wrapText(line, screen.width));
  const below = (ask: AskQuestion) => (lines: readonly string[], question: string) => {
    screen.note(lines);
    return ask(question);
  };
  return [
    {
      name: "reload",
      summary: "read files, skills and extensions again",
      run: async (_words, ask) => {
        const untrusted = await askForTrust(ask && below(ask));
        await workbench.reload();
        const hints = untrusted.map((hint) => `${screen.paint.yellow("! untrusted")}: ${oneLine(hint)}`);
        return fitted([...(await workbenchLines(workbench)), ...hints, ...faultLines(workbench, screen)]);
      },
    },
    {
      name: "files",
      summary: "list the files in the prompt",
      run: async () => [
        ...workbench
          .considered()
          .flatMap(({ used, role, path }) => (used ? [`  ${role.padEnd(9)} ${oneLine(path)}`] : [])),
        ...fitted(diagnosticLines(workbench.project.look().diagnostics, output(screen))),
      ],
    },
  ];
}

/** Line about what the agent has to work with. */
export async function workbenchLines(workbench: Workbench): Promise<string[]> {
  const tools = (await workbench.lines()).map(({ name }) => name);
  const used = workbench.considered().filter((one) => one.used);
  const count = (role: string) => used.filter((one) => one.role === role).length;
  const parts = [
    count("system") > 0 ? "its own SYSTEM.md" : "the usual base",
    ...(count("append") > 0 ? ["APPEND_SYSTEM.md"] : []),
    counted(count("context"), "context file"),
    counted(count("skill"), "skill"),
    counted(count("extension"), "extension"),
  ];
  return [`Tools: ${tools.length === 0 ? "none" : tools.join(", ")}. Made of ${parts.join(", ")}.`];
}

export function faultLines(workbench: Workbench, { paint }: Screen): string[] {
  return workbench.faults().map(({ code, message }) => `${paint.yellow(`! ${code}`)}: ${oneLine(message)}`);
}
