import type { AskMode } from "../../agent/turn/ask-reason.ts";
import type { Host } from "../../host/host.ts";
import { oneLine, preview } from "../../prompt/character.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import type { StepResult } from "../../prompt/step-result.ts";
import type { FoundSession, SessionTurn } from "../../store/turns/session.ts";
import { createClientLayer } from "../client-layer.ts";
import { callView, withResult } from "./call-view.ts";
import { badMessage, clientPromptOf, type SystemPromptParams } from "./client-message.ts";
import {
  channel,
  type EditorClient,
  type EditorOptions,
  type EditorSession,
  openEditorSession,
  type PromptEnd,
  type SessionUpdate,
} from "./editor-session.ts";

const { isAbsolute, normalize } = process.getBuiltinModule("node:path");

/** A client's request to open a session, new or again. */
type OpenParams = SystemPromptParams & {
  readonly cwd: string;
  readonly mcpServers?: readonly object[] | undefined;
};

/** A session that an editor may load. */
export type ListedSession = {
  readonly id: string;
  readonly cwd: string;
  readonly title: string | undefined;
  readonly updatedAt: string;
};

/** Kind of the event that records in which directory an editor opened a session. */
const opened = "editor-session";

/** Maximum number of listed sessions: the newest. */
const maxListedSessions = 100;

/** The agent as an editor uses it: sessions that are opened, loaded, prompted and cancelled. */
export type Editor = ReturnType<typeof createEditor>;

export function createEditor(options: EditorOptions) {
  const { agent, user, setUp } = options;
  const { store } = options.host;
  const scope = { agent, user };
  const sessions = new Map<string, EditorSession>();

  const open = async (client: EditorClient, params: OpenParams, find: (host: Host) => Promise<FoundSession>) => {
    const { cwd, mcpServers = [] } = params;
    checkDirectory(cwd);
    const brought = clientPromptOf(params);
    const layer = brought && createClientLayer(brought, client.name);
    let id = "";
    const setup = await setUp(
      cwd,
      client.files?.(() => id),
    );
    try {
      const { at } = options.host;
      layer?.check((await at(setup.place).snapshot({ ...scope, channel })).declaredTurn);
      const host = at({ ...setup.place, extend: layer?.extend });
      const session = await find(host);
      id = session.id;
      await store.events.record({ scope, kind: opened, detail: { session: id, cwd: normalize(cwd) } });
      const notices = serverNotices(mcpServers);
      sessions.set(id, openEditorSession(options, { id, host, client, setup, notices }));
    } catch (error) {
      setup.close();
      throw error;
    }
    return id;
  };

  /** Returns a session of this agent and user that can continue. */
  const stored = async (id: string): Promise<FoundSession> => {
    const session = await store.sessions.find(id, scope);
    if (session.scope.user !== user)
      throw new Problem("unknown-session", `There is no session “${id}” here.`, "List them with session/list.");
    if (session.endedAt !== null)
      throw new Problem("session-ended", `The session “${id}” ended ${session.endedAt}.`, "Start a new one.");
    return session;
  };

  const openSession = (id: string): EditorSession => {
    const session = sessions.get(id);
    if (session) return session;
    throw new Problem("unknown-session", `No session “${id}” is open here.`, "Open it with session/load first.");
  };

  const title = async (id: string): Promise<string | undefined> => {
    const first = (await store.sessions.history(id, {}, scope)).find(({ told }) => !told);
    return first && first.input !== "" ? preview(oneLine(first.input), 80) : undefined;
  };

  return {
    open: (client: EditorClient, params: OpenParams): Promise<string> =>
      open(client, params, (host) => host.newSession({ ...scope, channel })),
    /** Opens an earlier session; with `replay`, its conversation is shown again. */
    load: async (client: EditorClient, id: string, params: OpenParams, replay: boolean): Promise<void> => {
      const before = sessions.get(id);
      before?.checkIdle();
      const session = await stored(id);
      await open(client, params, async () => session);
      await before?.close();
      if (!replay) return;
      const { root } = openSession(id);
      for (const update of historyUpdates(await store.sessions.history(id, {}, scope), root))
        await client.update(id, update);
    },
    /** Lists the newest sessions of this agent and user; only those of one directory where one is given. */
    list: async (cwd?: string | null): Promise<ListedSession[]> => {
      if (typeof cwd === "string") checkDirectory(cwd);
      const events = await store.events.list({ ...scope, kind: opened, limit: 1000 });
      const places = new Map<string, string>();
      for (const { detail } of events)
        if (typeof detail.session === "string" && typeof detail.cwd === "string" && !places.has(detail.session))
          places.set(detail.session, detail.cwd);
      const listed: ListedSession[] = [];
      for (const [id, place] of places) {
        if (listed.length === maxListedSessions) break;
        if (typeof cwd === "string" && normalize(cwd) !== place) continue;
        const session = await stored(id).catch((error: unknown) => {
          if (error instanceof Problem) return undefined;
          throw error;
        });
        if (session) listed.push({ id, cwd: place, title: await title(id), updatedAt: session.lastAt });
      }
      return listed.sort((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
    },
    prompt: async (id: string, input: string): Promise<PromptEnd> => openSession(id).prompt(input),
    /** Cancels a session's turn. A session that is not open has nothing to cancel, and is no error. */
    cancel: async (id: string): Promise<void> => sessions.get(id)?.cancel(),
    mode: (id: string): AskMode => openSession(id).mode(),
    /** Sets the mode, from the next turn on. */
    setMode: (id: string, mode: AskMode): void => openSession(id).setMode(mode),
    /** Throws a Problem where a prompt to this session would be refused. */
    checkIdle: (id: string): void => openSession(id).checkIdle(),
    closeSession: async (id: string): Promise<void> => {
      const session = openSession(id);
      sessions.delete(id);
      await session.close();
    },
    /** Stops every turn, and closes its session. */
    close: async (): Promise<void> => {
      const all = [...sessions.values()];
      sessions.clear();
      await Promise.all(all.map((session) => session.close()));
    },
  };
}

function checkDirectory(cwd: string): void {
  if (isAbsolute(cwd) && !cwd.includes("\0")) return;
  throw badMessage(
    `The session's cwd is “${preview(cwd, 200)}”, which is no absolute path.`,
    "Send the whole path of the directory.",
  );
}

function serverNotices(servers: readonly { readonly name?: unknown }[]): Notice[] {
  if (servers.length === 0) return [];
  const names = servers.map(({ name }) => (typeof name === "string" ? `“${preview(name, 60)}”` : "one without a name"));
  const message = `The client brought MCP servers (${names.join(", ")}). They are not used: the agent has its own tools.`;
  return [{ code: "mcp-servers-unused", message }];
}

/** Converts a stored session for an editor that loads it: messages and calls, without notices. */
export function historyUpdates(turns: readonly SessionTurn[], root?: string): SessionUpdate[] {
  return turns.flatMap((turn) => {
    const asked: SessionUpdate[] =
      turn.input === "" ? [] : [{ kind: "asked", message: `${turn.id}/asked`, text: turn.input }];
    const updates = turn.steps.flatMap(({ step, result }) => stepUpdates(turn.id, step, result, root));
    const answered = updates.some(({ kind }) => kind === "answer");
    const reply: SessionUpdate[] =
      answered || !turn.reply ? [] : [{ kind: "answer", message: `${turn.id}/reply`, text: turn.reply }];
    return [...asked, ...updates, ...reply];
  });
}

function stepUpdates(turn: string, step: number, result: StepResult | null, root: string | undefined): SessionUpdate[] {
  const { answer, results = [] } = result ?? {};
  if (!answer) return [];
  const text: SessionUpdate[] =
    answer.text === "" ? [] : [{ kind: "answer", message: `${turn}/${step}`, text: answer.text }];
  const calls = answer.calls.flatMap((call): SessionUpdate[] => {
    const view = callView(turn, call, root);
    const toolResult = results.find((one) => one.call === call.id);
    if (!toolResult) return [{ kind: "call", call: view }];
    const { output, failed = false } = toolResult;
    return [
      { kind: "call", call: view },
      { kind: "result", call: failed ? view : withResult(view, output), output, failed },
    ];
  });
  return [...text, ...calls];
}
