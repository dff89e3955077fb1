import type { ReactNode } from "react";
import type { TurnEvent } from "../../../billing/listed-turn.ts";
import { MarkIcon } from "../../../billing/mark-icon.tsx";
import { Badge, type Tone } from "../../../kit/icon.tsx";

type Look = { readonly tone: Tone; readonly words: string; readonly icon?: Parameters<typeof MarkIcon>[0]["kind"] };

const looks: Readonly<Record<Exclude<TurnEvent, "failed">, Look>> = {
  amended: { tone: "amendable", words: "amended", icon: "amended" },
  refused: { tone: "bad", words: "refused", icon: "refused" },
  held: { tone: "wait", words: "needed approval", icon: "held" },
  "cache-miss": { tone: "plain", words: "cache miss", icon: "broken" },
  tool: { tone: "plain", words: "tool" },
};

/** What happened in a turn, a badge each. That it failed its state says already. */
export function EventBadges({ events }: { readonly events: readonly TurnEvent[] }): ReactNode {
  const shown = events.filter((event) => event !== "failed");
  if (shown.length === 0) return null;
  return (
    <span className="inline-flex flex-wrap gap-1">
      {shown.map((event) => {
        const { tone, words, icon } = looks[event];
        return (
          <Badge key={event} tone={tone}>
            {icon && <MarkIcon kind={icon} size={10} />}
            <span className="whitespace-nowrap">{words}</span>
          </Badge>
        );
      })}
    </span>
  );
}
