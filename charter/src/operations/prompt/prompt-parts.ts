import type { NextRequest } from "../../agent/next-request.ts";
import { usualChannels } from "../../charters/assistant/sections.ts";
import { offerTokens, prefixIn } from "../../delivery/prediction.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { Host, PreviewOptions, SnapshotQuery } from "../../host/host.ts";
import { charterData } from "../../prompt/charter.ts";
import { promptFacts } from "../../prompt/prompt.ts";
import type { SectionText } from "../../prompt/receipt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import { sha256 } from "../../store/texts/packing.ts";

/** The prompt of the next turn. */
export async function textPart(host: Host, query: SnapshotQuery & PreviewOptions) {
  const { prompt, tokenizer } = await host.preview(query);
  return promptFacts(prompt, tokenizer, sha256);
}

/** Inputs of the next prompt. */
export async function inputsPart(host: Host, query: SnapshotQuery) {
  const { declaredTurn, readings, edition, receiver, tokenizer, toolTokens } = await host.gather(query);
  const { agent, user = null, channel = null } = query;
  return {
    ...{ agent, user, channel, at: declaredTurn.turn.now, charter: charterData(declaredTurn.charter), readings },
    ...{ notices: declaredTurn.notices, edition, receiver: receiverFacts(receiver, tokenizer), toolTokens },
    channels: [...new Set([...Object.keys(usualChannels), ...host.channels])],
  };
}

/** Facts of a receiver with the tokenizer that counts here, so that a page can count with the same one. */
function receiverFacts({ name, slots, window, cache, price }: Receiver, { name: counts, exact }: Tokenizer) {
  const tokenizer = { name: counts, exact };
  return { name, slots, window, tokenizer, cacheMin: cache.kind === "none" ? null : cache.min, price };
}

/** The next request: who is billed for how many tokens, and what they would cost. */
export async function requestPart(host: Host, asked: Parameters<Host["nextRequest"]>[0]) {
  const next = await host.nextRequest(asked);
  const { agent, user = null, channel = next.session?.channel ?? null } = asked;
  return { agent, user, channel, ...nextFacts(next) };
}

function nextFacts({ session, receiver, prediction, prefixChange, request, input, tokenizer, notices }: NextRequest) {
  const parts = prediction.placements.map(({ slot, message, sections }) => ({
    slot: slot as "system" | "update" | "state",
    message: message ?? null,
    sections: sections.filter((one) => typeof one !== "string").map(sectionFacts),
  }));
  const tools = offerTokens(request.tools, tokenizer);
  const prefix = prefixIn(prediction).reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
  const history = prediction.history.tokens ?? 0;
  const { total, predicted } = prediction;
  return {
    session: session && sessionFacts(session),
    model: receiver.name,
    cacheMin: receiver.cache.kind === "none" ? null : receiver.cache.min,
    prefixChange,
    request,
    input,
    parts,
    tokens: {
      ...{ total, tools, prefix, history, state: total - tools - prefix - history },
      ...{ tokenizer: tokenizer.name, exact: tokenizer.exact },
    },
    predicted,
    notices,
  };
}

function sectionFacts({ name, layer, mutability, stability, trust, source, revision, tokens, text }: SectionText) {
  return { name, layer, mutability, stability, trust, source, revision, tokens: tokens ?? 0, text };
}

function sessionFacts({ id, channel, startedAt, lastAt }: NonNullable<NextRequest["session"]>) {
  return { id, channel, startedAt, lastAt };
}
