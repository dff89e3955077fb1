import { isUpdate } from "../delivery/baseline.ts";
import { historyTokens } from "../delivery/cost.ts";
import type { Delivery } from "../delivery/deliver.ts";
import { inputMessage, type TurnMessages } from "../delivery/history.ts";
import type { Message, ModelRequest } from "../delivery/model.ts";
import type { Prediction } from "../delivery/prediction.ts";
import type { Receiver } from "../delivery/receiver.ts";
import { type FieldChecks, isText, optional } from "../prompt/argument.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Notice } from "../prompt/reading.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import { scopeNamed } from "../store/scope.ts";
import type { FoundSession } from "../store/turns/session.ts";
import type { Hook } from "./hook.ts";
import { type MessageOrigin, originsIn } from "./replay.ts";
import { declareTurn, prepareTurn } from "./turn/begin-turn.ts";
import { isJob, messagesOf } from "./turn/live-session.ts";
import { chooseModel, seatOf } from "./turn/seat.ts";
import { place, predictionOf } from "./turn/step.ts";
import { turnPrompt } from "./turn/turn-prompt.ts";
import type { AgentDeps } from "./turn/turn-state.ts";
import { aUser, checkAsked } from "./turn-interface.ts";

/** The conversation whose next turn is previewed: the named session, or else the one the turn would belong to. */
export type NextRequestInput = {
  readonly user: string | null;
  readonly channel?: string | undefined;
  readonly session?: string | undefined;
  readonly zone?: string | undefined;
};

/**
 * The first request of the next turn, as it would be sent now. The user's message is not known yet: an empty one stands
 * in its place, the message `input` of the request.
 */
export type NextRequest = {
  /** The session; null if the turn would open a new one. */
  readonly session: FoundSession | null;
  readonly request: Pick<ModelRequest, "tools" | "system" | "messages">;
  readonly input: number;
  /** Author of each message. */
  readonly origins: readonly MessageOrigin[];
  /** Number of tokens from which the history is summed up before a request; `Infinity`: never. */
  readonly compactAt: number;
  readonly prompt: Prompt;
  readonly receiver: Receiver;
  readonly tokenizer: Tokenizer;
  readonly prefixChange: Delivery["prefixChange"];
  readonly prediction: Prediction;
  readonly notices: readonly Notice[];
};

const checks: FieldChecks<NextRequestInput> = {
  user: aUser,
  channel: optional([isText, "Give the channel's name."]),
  session: optional([isText, "Give a session's id, or “new”."]),
  zone: optional([isText, "Give a time zone, as in Europe/Rome."]),
};

/**
 * Assembles the request of the next turn by the steps a turn itself takes, and sends and keeps nothing. Steps with consequences
 * (hooks, approved calls, summarising a long history) are left out and named in the notices.
 */
export async function nextRequest(agent: AgentDeps, asked: NextRequestInput): Promise<NextRequest> {
  checkAsked("nextRequest", asked, checks);
  const { user, session: wanted, zone } = asked;
  const scope = scopeNamed(agent.name, user);
  const current = await agent.sessions.find(scope, { session: wanted, channel: asked.channel });
  const channel = asked.channel ?? current?.channel ?? undefined;
  const hooks: Hook[] = [...agent.hooks];
  const deps = withoutHooks(agent, hooks);
  const terms = await declareTurn(deps, { ...scope, channel });
  let [model] = deps.models;
  const session = await deps.sessions.peek(scope, current, async (sent) => {
    model = await chooseModel(deps, terms, sent);
    return model.receiver;
  });
  const seat = await seatOf(deps, terms, model);
  const nothing = { approve: undefined, ask: "never" as const, attachments: [], context: undefined, output: undefined };
  const identity = { ...nothing, id: "", scope, session, signal: new AbortController().signal };
  const channelAndZone = { ...(channel === undefined ? {} : { channel }), ...(zone === undefined ? {} : { zone }) };
  const running = await prepareTurn(deps, { terms, seat, begun: identity }, { input: "", ...channelAndZone });
  const prompt = await turnPrompt(deps, running);
  const added: Message[] = [inputMessage(running.progress.input, [])];
  const delivery = await place(deps, running, prompt, { step: 1, added });
  const prediction = predictionOf(deps, running, delivery, delivery);
  const { tools, system, messages } = delivery.request;
  const history = historyTokens(messagesOf(session.stretches), running.who.tokenizer);
  const approved = await deps.store.calls.approved(scope, { job: isJob(deps, scope), session: current?.id, channel });
  return {
    session: current ?? null,
    request: { tools, system, messages },
    input: delivery.history.indexOf(delivery.added[0] as Message),
    origins: originsOf(delivery, session.stretches),
    compactAt: seat.compactAt,
    prompt,
    receiver: seat.model.receiver,
    tokenizer: running.who.tokenizer,
    prefixChange: delivery.prefixChange,
    prediction,
    notices: [
      ...running.progress.notices,
      ...(session.unfinished === null ? [] : [turnRunning]),
      ...hookNotices(hooks),
      ...(history > seat.compactAt ? [compactionDue(history, seat.compactAt)] : []),
      ...(approved.length > 0 ? [approvedCalls] : []),
    ],
  };
}

function originsOf({ history, added }: Delivery, stretches: readonly TurnMessages[]): MessageOrigin[] {
  const known = new Map(stretches.flatMap(originsIn));
  return history.map((message): MessageOrigin => {
    if (isUpdate(message)) return { kind: "section", turn: null };
    if (added.includes(message)) return { kind: "input", turn: null };
    return known.get(message) ?? { kind: "changed", turn: null };
  });
}

/** Leaves hooks out and collects them for the notices: they are anybody's code and may act, which a preview must not. */
function withoutHooks(agent: AgentDeps, hooks: Hook[]): AgentDeps {
  // The declaration gets no turn, so it takes nothing from an inbox.
  const declare: AgentDeps["declare"] = async ({ turn: _, begun: __, ...about }, receiver) => {
    const { hooks: declaredHooks = [], ...declaration } = await agent.declare(about, receiver);
    for (const hook of declaredHooks) if (!hooks.includes(hook)) hooks.push(hook);
    return declaration;
  };
  return { ...agent, hooks: [], watcher: undefined, declare };
}

const turnRunning: Notice = {
  code: "turn-running",
  message: "A turn of this conversation is running. What it says is not included yet.",
};

const approvedCalls: Notice = {
  code: "calls-approved",
  message: "Approved tool calls run before the next request. Their results are added to the user's message.",
};

function compactionDue(tokens: number, limit: number): Notice {
  const message = `The history has ${tokens} tokens; from ${limit} on it is summed up before the next request. Then the summary is sent in its place.`;
  return { code: "compaction-due", message };
}

function hookNotices(hooks: readonly Hook[]): Notice[] {
  const changing = hooks.filter((hook) => hook.input || hook["before-turn"] || hook["before-step"]);
  if (changing.length === 0) return [];
  const names = [...new Set(changing.map(({ name }) => `“${name}”`))].join(", ");
  return [
    { code: "hooks-not-run", message: `Hooks may still change this request: ${names}. They run only in a turn.` },
  ];
}
