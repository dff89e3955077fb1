import type { Baseline } from "../../../delivery/baseline.ts";
import type { TurnMessages } from "../../../delivery/history.ts";
import type { Message } from "../../../delivery/model.ts";

/** What of a session takes room. */
type SizedSession = { readonly baseline: Baseline | null; readonly stretches: readonly TurnMessages[] };

/** The live sessions a process keeps: so many, and so many bytes in all. The one that was used longest ago goes first. */
export type SessionCache = {
  /** The sessions of one agent, by their ids. */
  readonly section: <Session extends SizedSession>() => {
    readonly get: (id: string) => Session | undefined;
    /** Measures it anew. */
    readonly set: (id: string, session: Session) => void;
  };
  readonly bytes: () => number;
  readonly count: () => number;
};

type Kept = { readonly session: SizedSession; readonly bytes: number };

export function createSessionCache(limits: { readonly sessions: number; readonly bytes: number }): SessionCache {
  const kept = new Map<string, Kept>();
  let [bytes, sections] = [0, 0];
  const drop = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  return {
    bytes: () => bytes,
    count: () => kept.size,
    section: <Session extends SizedSession>() => {
      const own = `${sections++} `;
      return {
        get: (id) => kept.get(own + id)?.session as Session | undefined,
        set: (id, session) => {
          drop(own + id);
          const one = { session, bytes: bytesOf(session) };
          kept.set(own + id, one);
          bytes += one.bytes;
          while (bytes > limits.bytes || kept.size > limits.sessions) drop(kept.keys().next().value as string);
        },
      };
    },
  };
}

/** All agents of a process share it. */
export const processSessions = createSessionCache({ sessions: 1000, bytes: 64 * 1024 * 1024 });

/** What an object costs beside its texts, about. */
const objectBytes = 200;

/** The texts of a session, two bytes a character, and the objects they stand in. Each message is measured once. */
function bytesOf({ stretches, baseline }: SizedSession): number {
  let sum = baseline ? baselineBytes(baseline) : 0;
  for (const { messages } of stretches) {
    sum += objectBytes;
    for (const message of messages) sum += messageBytes(message);
  }
  return sum;
}

function baselineBytes({ words, updates, summary }: Baseline): number {
  const parts = [...words, ...updates.flatMap((one) => one.words ?? [])];
  const spans = [...parts, ...updates.flatMap(({ told }) => told ?? [])].reduce(
    (sum, one) => sum + one.spans.length,
    0,
  );
  const chars = [...parts, ...updates].reduce((sum, { text }) => sum + text.length, summary?.text.length ?? 0);
  return objectBytes * (parts.length + updates.length + spans) + 2 * chars;
}

const measured = new WeakMap<Message, number>();

function messageBytes(message: Message): number {
  const known = measured.get(message);
  if (known !== undefined) return known;
  const bytes = objectBytes + 2 * JSON.stringify(message).length;
  measured.set(message, bytes);
  return bytes;
}
