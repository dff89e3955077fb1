import { Check, Clock, Dot, X } from "lucide-react";
import { Icon } from "../../../kit/icon.tsx";
import { ShortCode } from "../../../kit/text-link.tsx";
import { type Relay, relayTone, relayWords } from "./relay-words.ts";

const inks = { good: "text-good", plain: "text-soft", wait: "text-wait", bad: "text-bad" };
const signs = { good: Check, plain: Dot, wait: Clock, bad: X };

/** Each relay with what it has, or why that is not known. */
export function RelayList({ relays, waiting }: { readonly relays: readonly Relay[]; readonly waiting: boolean }) {
  // A relay without it is as it should be only where nobody has it.
  const isThere = relays.some(({ head }) => head !== null);
  const toneOf = (one: Relay) => (one.status === "nothing" && isThere ? "wait" : relayTone(one, waiting));
  return (
    <ul aria-label="Relays" className="divide-y divide-line border-line border-t text-sm">
      {relays.map((one) => (
        <li key={one.relay} className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5">
          <span className="min-w-0 flex-[1_1_14rem] font-mono text-[0.86em] [overflow-wrap:anywhere]">{one.relay}</span>
          <span className="flex min-w-0 flex-[2_1_16rem] flex-wrap items-center gap-x-2">
            <span className={inks[toneOf(one)]}>
              <Icon of={signs[toneOf(one)]} className="inline size-3.5" /> {relayWords(one, waiting)}
            </span>
            {one.status === "behind" && one.head && <ShortCode what="event" code={one.head.id} />}
            {one.reason !== null && <span className="min-w-0 text-soft [overflow-wrap:anywhere]">{one.reason}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
