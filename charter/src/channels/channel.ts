import { sleep as usualSleep } from "../agent/limits.ts";
import { whoseWords } from "../agent/turn-interface.ts";
import type { Host } from "../host/host.ts";
import { checkNeeded, isFunction, isObject, isText } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { Dispatch } from "../store/channels/dispatches.ts";
import { decidePressed, nothingHere } from "./decide.ts";
import { createLoop, createPresence } from "./loop.ts";
import { type ChannelDeps, createSendRound, type SendFault } from "./sender.ts";
import type { Button, DispatchExtra } from "./telegram/deliver-to.ts";
import { createUpdateWorker } from "./update-worker.ts";

/** Options of `createChannel`: the host, the agent, the channel's name, and how a message is posted there. */
export type ChannelOptions = {
  readonly host: Host;
  /** Name of the agent that answers. */
  readonly agent: string;
  /** Name of the channel. Give the host its guidance for it: `createHost({ channels: { slack: "…" } })`. */
  readonly name: string;
  /**
   * Posts a message to the service. What it returns says that the service did not take it; what it throws counts as
   * unreachable. It is called again for a message that was taken if the process died before that was recorded.
   */
  readonly post: (message: ChannelPost, signal: AbortSignal) => Promise<SendFault | undefined>;
  /** Shows in the chat that a turn is running. It is called every few seconds until the turn is over. */
  readonly showTyping?: (address: string) => unknown;
  readonly clock?: () => Date;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
  /** Receives news for the operator; never a user's text. */
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
};

/** A message for a chat, to be posted. */
export type ChannelPost = {
  /** Id of the message: the same when it is posted again, for services that recognise it. */
  readonly id: string;
  readonly address: string;
  /** The text: a model's in Markdown; a question to the user as it is. */
  readonly text: string;
  /** Answers to a question. What is pressed goes to `decide`. */
  readonly buttons: readonly Button[];
};

/** A message that a service delivered. */
export type ChannelMessage = {
  /** The service's own id of this delivery: one that comes again is known, and not answered twice. */
  readonly id: string;
  /** The chat, with its sender where several write in it: what is linked to a user, and answered. */
  readonly address: string;
  readonly text: string;
  /** Time at which it was sent, as ISO 8601 in UTC; now, unless given. */
  readonly at?: string;
  /** The words that the person has just typed: what else is in the text is other people's, and taints the turn. */
  readonly typed?: string;
  /** Says whether other people's words are in it, whatever was typed: true of a forwarded message, false of the sender's own. */
  readonly foreign?: boolean;
};

/** What to show whoever pressed a button. */
export type ChannelDecision = {
  readonly says: string;
  /** Says that it was theirs to decide, and is decided, now or before: take the buttons away. */
  readonly isDecided: boolean;
};

/** An agent's channel: takes messages in, answers them under a lease, and sends what is to be sent. */
export type Channel = {
  /**
   * Stores a message. After that it is answered, whatever happens to this process, so acknowledge it now and not before.
   * "known": it was delivered before. "stranger": its address is linked to nobody, and nothing was stored.
   */
  readonly receive: (message: ChannelMessage) => Promise<"kept" | "known" | "stranger">;
  /** Links an address to the user whose code it sent; false if the code is wrong, used or expired. */
  readonly link: (address: string, code: string) => Promise<boolean>;
  /**
   * Decides what a pressed button asks, in the name of the user whom the address is linked to, once. For whoever else presses it
   * there is nothing to decide.
   */
  readonly decide: (address: string, data: string) => Promise<ChannelDecision>;
  readonly start: () => Promise<void>;
  /** Takes no more messages to work on. Running turns have `graceMs`; what is not done by then waits for the next start. */
  readonly stop: (graceMs?: number) => Promise<void>;
};

/** A message as it is stored until it is answered. */
type Body = Pick<ChannelMessage, "text" | "typed" | "foreign">;

/**
 * Connects an agent of a host to a service of your own choice. Your part is the service's wire: check who sends, `receive`,
 * acknowledge, and `post`. Storing, leases, retries, order, links and approvals are done here, as for Telegram.
 */
export function createChannel(options: ChannelOptions): Channel {
  checkNeeded<ChannelOptions>("createChannel", options, {
    host: [isObject, "Give what createHost gives."],
    agent: [isText, "Give the name of the agent that answers."],
    name: [isText, "Give the channel a name, such as “slack”."],
    post: [isFunction, "Give a function that posts a message to the service."],
  });
  const { host, agent, name: channel, clock = () => new Date(), sleep = usualSleep, random = Math.random } = options;
  const { store } = host;
  const deps: ChannelDeps = {
    ...{ host, agent, channel, clock, sleep, random },
    log: (kind, about = {}) => options.log?.({ about: channel, kind, agent, ...about }),
  };
  const post = async ({ id, address, body, extra }: Dispatch, signal: AbortSignal): Promise<SendFault | undefined> => {
    const { buttons = [] } = (extra ?? {}) as DispatchExtra;
    try {
      return await options.post({ id, address, text: body, buttons }, signal);
    } catch (error) {
      if (error instanceof Problem) throw error;
      // The message of a stranger's error may hold a token or somebody's words.
      const { code, cause } = Object(error) as { code?: unknown; cause?: { code?: unknown } };
      return { kind: "unreachable", reason: `no answer (${cause?.code ?? code ?? "post has thrown"})` };
    }
  };
  const failed = (kind: string) => () => deps.log(kind);
  const presence = createPresence(store, agent, failed("agent-removed"));
  const send = presence.whileThere(createSendRound(deps, post));
  const sending = createLoop({ round: send, sleep, random, onError: failed("dispatches-unavailable") });
  const working = createUpdateWorker(deps, {
    contentOf: ({ body }) => {
      const { text: input, ...whose }: Body = JSON.parse(body);
      return { input: async () => ({ input, ...whoseWords(input, whose) }) };
    },
    showTyping: options.showTyping,
    presence,
    wakeSender: sending.wake,
  });
  const put = async (id: string, address: string, body: Body, at?: string) => {
    const link = await store.links.find(agent, channel, address);
    if (!link) return "stranger";
    const update = { scope: link.scope, channel, id, address, body: JSON.stringify(body), linked: true };
    if (!(await store.updates.put({ ...update, ...(at === undefined ? {} : { at }) }))) return "known";
    working.wake();
    return "kept";
  };

  let unwatch: (() => Promise<void>) | undefined;
  return {
    receive: ({ id, address, at, ...body }) => put(id, address, body, at),
    link: async (address, code) => (await store.links.redeem(agent, channel, code, address)) !== undefined,
    decide: async (address, data) => {
      const link = await store.links.find(agent, channel, address);
      if (!link) return { says: nothingHere, isDecided: false };
      const { followUp, ...decision } = await decidePressed(deps, link.scope, data);
      if (followUp) await put(followUp.id, address, { text: followUp.text, typed: followUp.text });
      return decision;
    },
    start: async () => {
      unwatch ??= await presence.watch();
      working.start();
      sending.start();
    },
    stop: async (graceMs = 30_000) => {
      await working.stop(graceMs);
      await sending.stop();
      await unwatch?.();
      unwatch = undefined;
    },
  };
}
