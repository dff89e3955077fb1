import { createHash } from "node:crypto";
import type { RelayClient } from "../relay-client.ts";
import { saidBy, statusTrouble } from "./connection-trouble.ts";
import { post } from "./post.ts";
import type { RelayAddress } from "./relay-address.ts";
import { relayLimits, tooManyEvents } from "./relay-limits.ts";
import type { RelaySigner } from "./relay-login.ts";

/** Asks a relay over HTTP: `POST /query` answers with all its events in one array. */
export function askHttpRelay(address: RelayAddress, signer: RelaySigner): RelayClient["ask"] {
  return async (_relay, filters, signal) => {
    const relay = address.shown;
    const answer = await postSigned(address, signer, { path: "/query", body: JSON.stringify(filters), signal });
    if ("kind" in answer) return { relay, events: [], trouble: answer };
    const events = readJson(answer.text);
    if (!Array.isArray(events))
      return {
        relay,
        events: [],
        trouble: { kind: "nonsense", reason: "It answered with something that is no list." },
      };
    return events.length > relayLimits.events
      ? { relay, events: events.slice(0, relayLimits.events), trouble: tooManyEvents }
      : { relay, events };
  };
}

/** Gives a relay an event over HTTP: `POST /events`. Any status of success is its word, unless it says otherwise. */
export function sendHttpRelay(address: RelayAddress, signer: RelaySigner): RelayClient["send"] {
  return async (_relay, event, signal) => {
    const relay = address.shown;
    const answer = await postSigned(address, signer, { path: "/events", body: JSON.stringify(event), signal });
    if ("kind" in answer) return { relay, ok: false, reason: answer.reason };
    const { accepted, message } = Object(readJson(answer.text)) as { accepted?: unknown; message?: unknown };
    return accepted === false ? { relay, ok: false, reason: saidBy(message) } : { relay, ok: true };
  };
}

type SignedPost = { readonly path: string; readonly body: string; readonly signal: AbortSignal };

/** Every request says who makes it, and what it holds (NIP-98). */
async function postSigned({ url }: RelayAddress, { sign, clock }: RelaySigner, { path, body, signal }: SignedPost) {
  const target = new URL(url);
  target.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  const authorization = sign({
    kind: 27235,
    created_at: Math.floor(clock().getTime() / 1000),
    tags: [
      ["u", target.href],
      ["method", "POST"],
      ["payload", createHash("sha256").update(body).digest("hex")],
    ],
    content: "",
  });
  const headers = { authorization: `Nostr ${Buffer.from(JSON.stringify(authorization)).toString("base64")}` };
  const answer = await post({ url: target, headers, body, signal, maxBytes: relayLimits.answerBytes });
  if ("kind" in answer) return answer;
  return answer.status >= 200 && answer.status < 300 ? answer : statusTrouble(answer.status);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
