import type { RelayAnswer, RelayClient, RelayReceipt } from "../relay-client.ts";
import { saidBy, type WireTrouble } from "./connection-trouble.ts";
import type { RelayAddress } from "./relay-address.ts";
import { relayLimits, tooManyEvents } from "./relay-limits.ts";
import { createRelayLogin, type RelayLogin, type RelaySigner } from "./relay-login.ts";
import { openWebSocket } from "./websocket.ts";

/**
 * Asks a relay over a connection of its own (NIP-01), and ends it. Only the relay's own EOSE is an end. A relay that
 * sends a challenge before it may hold back what is only for those who log in: where it gave nothing of what the first
 * filter asks for, its EOSE counts after the login. One that gave nothing and said something else meanwhile may have
 * said that it cannot look: that is no clean end.
 */
export function askWebSocketRelay(address: RelayAddress, signer: RelaySigner): RelayClient["ask"] {
  return (_relay, filters, signal) =>
    new Promise<RelayAnswer>((resolve) => {
      const events: unknown[] = [];
      const isWanted = (given: unknown) => filters[0]?.kinds.includes(Object(given).kind) === true;
      let asked = 0;
      let noise: WireTrouble | undefined;
      const finish = (trouble?: WireTrouble): void => {
        talk.end();
        resolve({ relay: address.shown, events, ...(trouble && { trouble }) });
      };
      const ask = (): void => {
        asked++;
        noise = undefined;
        talk.send(["REQ", String(asked), ...filters]);
      };
      const talk = startTalk({
        address,
        signer,
        signal,
        isEager: true,
        onReady: ask,
        onTrouble: finish,
        onNoise: (trouble) => {
          noise ??= trouble;
        },
        onMessage: ([type, subscription, given], login) => {
          if (type === "EVENT" && isOurs(subscription, asked)) {
            if (events.length === relayLimits.events) return finish(tooManyEvents);
            events.push(given);
          }
          if (subscription !== String(asked)) return;
          const isGiven = events.some(isWanted);
          if (type === "EOSE" && (login.status() !== "waiting" || isGiven)) finish(isGiven ? undefined : noise);
          if (type === "CLOSED") closeBy(given, login, finish);
        },
      });
    });
}

/** A relay that is asked again after a login may still be answering what it was asked before. */
const isOurs = (subscription: unknown, asked: number): boolean =>
  typeof subscription === "string" && Number(subscription) >= 1 && Number(subscription) <= asked;

/** Sends a relay one event over a connection of its own, and waits for its word. */
export function sendWebSocketRelay(address: RelayAddress, signer: RelaySigner): RelayClient["send"] {
  return (_relay, event, signal) =>
    new Promise<RelayReceipt>((resolve) => {
      const refuse = (reason: string): void => {
        talk.end();
        resolve({ relay: address.shown, ok: false, reason });
      };
      const talk = startTalk({
        address,
        signer,
        signal,
        isEager: false,
        onReady: () => talk.send(["EVENT", event]),
        onTrouble: ({ reason }) => refuse(reason),
        onMessage: ([type, id, isOk, reason], login) => {
          if (type !== "OK" || id !== event.id) return;
          if (isOk === true || isReason(reason, "duplicate")) {
            talk.end();
            resolve({ relay: address.shown, ok: true });
          } else if (isReason(reason, "auth-required")) login.require();
          else refuse(saidBy(reason));
        },
      });
    });
}

function closeBy(reason: unknown, login: RelayLogin, finish: (trouble: WireTrouble) => void): void {
  if (login.status() === "waiting") return;
  const isRefusal = isReason(reason, "restricted") || isReason(reason, "blocked");
  if (isReason(reason, "auth-required")) login.require();
  else finish({ kind: isRefusal ? "refused" : "closed", reason: `It ended the request: ${saidBy(reason)}` });
}

/** Reasons begin with a word for machines: “auth-required: …”. */
const isReason = (reason: unknown, word: string): boolean =>
  typeof reason === "string" && (reason === word || reason.startsWith(`${word}:`));

type TalkOptions = {
  readonly address: RelayAddress;
  readonly signer: RelaySigner;
  readonly signal: AbortSignal;
  readonly isEager: boolean;
  /** The connection stands, or a login was granted: ask, or ask again. */
  readonly onReady: () => void;
  readonly onMessage: (message: readonly unknown[], login: RelayLogin) => void;
  readonly onTrouble: (trouble: WireTrouble) => void;
  /** It said something that is no answer, and goes on. */
  readonly onNoise?: (trouble: WireTrouble) => void;
};

/** A connection on which messages are JSON arrays, and a login is taken care of. */
function startTalk({ address, signer, signal, isEager, onReady, onMessage, onTrouble, onNoise }: TalkOptions) {
  let bytes = 0;
  let isNonsense = false;
  const send = (message: readonly unknown[]): void => line.send(JSON.stringify(message));
  const login = createRelayLogin({
    ...signer,
    url: address.written,
    isEager,
    send,
    onGranted: onReady,
    onRefused: (reason) => onTrouble({ kind: "refused", reason }),
  });
  const line = openWebSocket({
    url: address.url,
    signal,
    maxMessageBytes: relayLimits.messageBytes,
    onOpen: () => onReady(),
    onText: (text) => {
      bytes += text.length;
      const message = readMessage(text);
      if (bytes > relayLimits.answerBytes)
        onTrouble({ kind: "cut", reason: `It sent more than ${relayLimits.answerBytes.toLocaleString("en")} bytes.` });
      else if (message === undefined) {
        isNonsense = true;
        onNoise?.(nonsense);
      } else if (message[0] === "NOTICE")
        onNoise?.({ kind: "refused", reason: `It sent a notice in place of an event: ${saidBy(message[1])}` });
      else if (message[0] === "AUTH" && typeof message[1] === "string") login.challenge(message[1]);
      else if (message[0] !== "OK" || !login.settle(message[1], message[2] === true, message[3]))
        onMessage(message, login);
    },
    onTrouble: (trouble) => {
      const isUnfinished = trouble.kind === "late" || trouble.kind === "closed";
      if (isUnfinished && login.status() === "wanted")
        onTrouble({ kind: "refused", reason: "It wants a login, and sent no challenge." });
      else if (isUnfinished && isNonsense) onTrouble(nonsense);
      else onTrouble(trouble);
    },
  });
  return { send, end: line.end };
}

const nonsense: WireTrouble = { kind: "nonsense", reason: "It sent something that is no message of a relay." };

function readMessage(text: string): readonly unknown[] | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
