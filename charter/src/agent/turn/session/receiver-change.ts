import type { Baseline, Update } from "../../../delivery/baseline.ts";
import { markOf } from "../../../delivery/mark.ts";
import { sha256 } from "../../../store/texts/packing.ts";

type SentSession = { readonly receiver: string; readonly baseline: Baseline | null };

/** Why the prefix of a session is built anew, where another model takes it over; nothing, where it goes on with its own. */
export function receiverChangeReason({ receiver, baseline }: SentSession, now: string): string | undefined {
  return receiver === now || baseline === null ? undefined : "the model changed";
}

/**
 * What a session said of its sections, without the mark it needed for a model that knows no other voice: another model
 * may know one, and else is told again, under the mark.
 */
export function withoutMarks(baseline: Baseline): Baseline {
  const mark = `${markOf(baseline.secret, sha256)} `;
  const plain = (one: Update): Update => {
    if (!one.text.startsWith(mark)) return one;
    const { told } = one;
    const [first, ...spans] = told?.spans ?? [];
    const rest = first && first.length > mark.length ? [{ ...first, length: first.length - mark.length }] : [];
    const text = one.text.slice(mark.length);
    return { ...one, text, told: told && { ...told, spans: [...rest, ...spans], tokens: null } };
  };
  return { ...baseline, updates: baseline.updates.map(plain) };
}
