import { decisionWords } from "../../agent/held-question.ts";
import { preview } from "../../prompt/character.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Link } from "../../store/channels/links.ts";
import { isTransient } from "../transient.ts";
import { type Decision, decisionOf } from "./approval.ts";
import { type Bot, callWithRetry, messageTo, sendText } from "./bot.ts";
import type { IncomingUpdate } from "./incoming.ts";
import { maxMessageLength } from "./split.ts";

type Press = Extract<IncomingUpdate, { kind: "press" }>;

/** What is said to the agent in the user's name, so that what they approved is done now and not with their next words. */
type FollowUp = { readonly id: string; readonly text: string };

/**
 * Someone pressed a button: the decision is made within their own scope, once; pressed again it says what was decided.
 * The message with the buttons then says so too, and has none any more.
 */
export async function press(
  bot: Bot,
  { scope }: Link,
  { address, query, data, message }: Press,
): Promise<FollowUp | undefined> {
  const decision = decisionOf(data);
  const { says, followUp: goOn } = decision
    ? await decide(bot, scope, decision)
    : { says: nothingHere, followUp: undefined };
  bot.runInBackground(async (signal) => {
    await bot.ask((api) => api.answerCallbackQuery({ callback_query_id: query, text: preview(says, 180) }));
    if (!message?.hasButtons) return;
    const place = { chat_id: Number(address), message_id: message.id };
    const text = `${message.text ?? ""}\n\n${says}`.trim();
    const fits = text.length <= maxMessageLength;
    const { fault } = await callWithRetry(bot, signal, () =>
      bot.ask(async (api) =>
        fits
          ? await api.editMessageText({ ...messageTo(address, text), ...place })
          : await api.editMessageReplyMarkup(place),
      ),
    );
    if (!fits) sendText(bot, address, says);
    if (fault) bot.log("telegram-unsent", { reason: fault.reason });
  });
  return goOn;
}

const nothingHere = "There is nothing to decide here.";

type PressReply = { readonly says: string; readonly followUp: FollowUp | undefined };

async function decide({ host, log }: Bot, scope: Link["scope"], { approved, held }: Decision): Promise<PressReply> {
  const only = (says: string): PressReply => ({ says, followUp: undefined });
  try {
    if (!approved) {
      await host.reject(held, scope.user, undefined, scope);
      return only("Rejected.");
    }
    const decided = await host.approve(held, scope.user, scope);
    if ("call" in decided) return { says: "Approved.", followUp: followUpOf(decided.call) };
    if ("tool" in decided) return only("Approved.");
    const { proposal } = decided;
    if (!("refusals" in proposal)) return only("Approved.");
    if (proposal.verdict === "held") return only("Whoever runs me has to approve this, too.");
    return only(`It cannot be done any more: ${proposal.refusals.map(({ because }) => because).join(" ")}`);
  } catch (error) {
    if (!(error instanceof Problem) || isTransient(error)) throw error;
    if (error.code === "already-decided") return decidedBefore(host, scope, held);
    if (error.code === "unknown-proposal" || error.code === "unknown-call") return only(nothingHere);
    if (error.code === "not-allowed") return only("Only whoever runs me can approve this.");
    log("decision-failed", { held, reason: error.code });
    return only("That did not work. Please try again, or tell whoever runs me.");
  }
}

function followUpOf({ id, tool }: { readonly id: string; readonly tool: string }): FollowUp {
  // What it asked for is told by the turn. Here it would be the agent's words in the user's mouth.
  return { id: `approved-${id}`, text: decisionWords({ tool }, true) };
}

/** It may be that we decided it, and died before we said so. */
async function decidedBefore({ store }: Bot["host"], scope: Link["scope"], held: string): Promise<PressReply> {
  const call = await store.calls.get(held, scope).catch(() => undefined);
  const status = call?.status ?? (await store.held.get(held, scope)).status;
  const says = `This was ${status === "rejected" ? "rejected" : "approved"} before.`;
  return { says, followUp: call?.status === "approved" ? followUpOf(call) : undefined };
}
