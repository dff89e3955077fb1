import type { EventTemplate } from "../nostr.ts";
import type { NostrEvent } from "../nostr-event.ts";
import { saidBy } from "./connection-trouble.ts";

/** Who speaks to a relay: what is signed is signed as the agent, at this time. */
export type RelaySigner = { readonly sign: (template: EventTemplate) => NostrEvent; readonly clock: () => Date };

/** Logging in to a relay (NIP-42). */
export type RelayLogin = {
  /** Nobody asked for it; it is wanted and cannot be made, for no challenge came; it waits for the relay; it was granted. */
  readonly status: () => "none" | "wanted" | "waiting" | "granted";
  /** The relay sent a challenge. */
  readonly challenge: (challenge: string) => void;
  /** The relay wants a login before it does what was asked. */
  readonly require: () => void;
  /** An OK came. True where it is the login's, and nothing else's. */
  readonly settle: (id: unknown, isOk: boolean, reason: unknown) => boolean;
};

type CreateLoginOptions = RelaySigner & {
  /** The relay's address, as it was written. */
  readonly url: string;
  /** Answers a challenge at once, or only where a login is required. */
  readonly isEager: boolean;
  readonly send: (message: readonly unknown[]) => void;
  readonly onGranted: () => void;
  readonly onRefused: (reason: string) => void;
};

const longestChallenge = 1000;

/** Logs in to one connection, once: a relay that is not content with that has refused. */
export function createRelayLogin(options: CreateLoginOptions): RelayLogin {
  const { sign, clock, url, send } = options;
  let challenge: string | undefined;
  let isRequired = false;
  let sent: string | undefined;
  let isGranted = false;

  const answer = (): void => {
    if (sent !== undefined || challenge === undefined || !(isRequired || options.isEager)) return;
    const event = sign({
      kind: 22242,
      created_at: Math.floor(clock().getTime() / 1000),
      tags: [
        ["relay", url],
        ["challenge", challenge],
      ],
      content: "",
    });
    sent = event.id;
    send(["AUTH", event]);
  };

  return {
    status: () => {
      if (sent !== undefined) return isGranted ? "granted" : "waiting";
      return isRequired ? "wanted" : "none";
    },
    challenge: (given) => {
      if (given.length > longestChallenge) return;
      challenge = given;
      answer();
    },
    require: () => {
      isRequired = true;
      if (isGranted) options.onRefused("It wants a login, though it took the one it was given.");
      else answer();
    },
    settle: (id, isOk, reason) => {
      if (sent === undefined || id !== sent) return false;
      if (!isOk) options.onRefused(`It refused the login: ${saidBy(reason)}`);
      else if (!isGranted) {
        isGranted = true;
        options.onGranted();
      }
      return true;
    },
  };
}
