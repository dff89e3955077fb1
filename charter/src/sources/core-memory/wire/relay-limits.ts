/** More than this a relay is not listened to: an agent's memories are far smaller. */
export const relayLimits = { messageBytes: 1_000_000, answerBytes: 4_000_000, events: 500 } as const;

/** Why an answer is not whole, where it has too many events. */
export const tooManyEvents = {
  kind: "cut",
  reason: `It gave more than ${relayLimits.events} events.`,
} as const;
