import { createAgent } from "../../agent/agent.ts";
import type { Watcher } from "../../agent/agent-event.ts";
import type { TurnOutcome } from "../../agent/outcome.ts";
import { createToolsets } from "../../agent/toolset.ts";
import type { Scope } from "../../amend/amendment.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import type { Model } from "../../delivery/model.ts";
import { loadReceiverTokenizer } from "../../delivery/receiver-tokenizer.ts";
import { previewPrompt } from "../../host/preview.ts";
import type { Notice } from "../../prompt/notice.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Store } from "../../store/store.ts";
import { declaredTurnNow } from "../shared/directory-turn.ts";
import { loadAgent } from "../shared/load-agent.ts";
import type { CommandModels } from "../shared/models.ts";
import type { CodingSetup } from "./coding.ts";

type TalkOptions = {
  readonly store: Store;
  readonly models: Pick<CommandModels, "load">;
  readonly agent: string;
  readonly user: string;
  readonly channel: string;
  /** Where the terminal stands, for users whose zone nobody said. */
  readonly zone: string;
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
  readonly useSession: (session: string | undefined) => void;
  /** The last turn of the session, where one was taken. */
  readonly lastTurn: () => Promise<string | undefined>;
  readonly runTurn: (input: string, watching: { signal: AbortSignal; on: Watcher }) => Promise<TurnOutcome>;
  /** The agent as it is now. */
  readonly declaredTurn: () => Promise<DeclaredTurn>;
  /** The prompt the next request would be made from. */
  readonly nextPrompt: () => Promise<Prompt>;
};

export async function createTalk(talking: TalkOptions, modelName: string): Promise<Talk> {
  const { store, models, agent: name, user, channel, zone, lock, charter, coding } = talking;
  const workbench = coding?.workbench;
  const scope = { agent: name, user };
  const given = async (): Promise<DeclaredTurn> => {
    if (workbench) return declaredTurnNow(await workbench.declare(), zone);
    return (await loadAgent(store, { agent: name, user, channel, lock, charter })).declaredTurn;
  };
  const open = (model: Model) =>
    createAgent({ name, charter: given, model, store, operator: true, limits: coding?.limits ?? {} });

  let model = await models.load(modelName);
  let agent = open(model);
  let session = (await store.sessions.latest(scope, channel))?.id;
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
      model = await models.load(wanted);
      agent = open(model);
    },
    session: () => session,
    useSession: (wanted) => {
      session = wanted;
      turn = undefined;
    },
    lastTurn: async () => turn ?? (session === undefined ? undefined : (await store.sessions.newestTurn(session))?.id),
    runTurn: async (input, { signal, on }) => {
      const asked = { input, user, channel, zone, session: session ?? "new" };
      const watcher: Watcher = (event) => {
        if (event.kind === "turn-start") [session, turn] = [event.session, event.turn];
        if (event.kind === "notice" && !isNews(event.notice)) return;
        on(event);
      };
      const outcome = await agent.runTurn(asked, { signal, on: watcher });
      for (const notice of workbench?.faults() ?? []) watcher({ kind: "notice", turn: outcome.turn, notice });
      return outcome;
    },
    nextPrompt: async () => {
      const one = await given();
      const tools = (await createToolsets([])(one)).lines(new Map());
      const { window, tokenizer } = model.receiver;
      const { edition = window !== null && window < 8192 ? "compact" : "full" } = one;
      const room = { edition, tokenizer: await loadReceiverTokenizer(tokenizer.name) };
      return previewPrompt({ ...one, turn: { zone, ...one.turn, tools } }, room);
    },
  };
}
