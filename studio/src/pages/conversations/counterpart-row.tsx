import type { CounterpartListAnswer } from "charter/answers";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import { tokensText } from "../../billing/listed-turn.ts";
import { Badge } from "../../kit/icon.tsx";
import { count, dollars, plural, shownName, timeText } from "../../kit/words.ts";

type Counterpart = CounterpartListAnswer["counterparts"][number];

/** Someone an agent has spoken with: who, where, what they said last, and what it comes to. */
export function CounterpartRow({ agent, one }: { readonly agent: string; readonly one: Counterpart }) {
  const { user, channels, messages, failed, lastInput, lastAt } = one;
  return (
    <li>
      <Link
        href={placeOf(agent, "conversations", user)}
        className="grid gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-raised md:grid-cols-[minmax(0,3fr)_minmax(0,3fr)_21rem] md:items-baseline"
      >
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="font-medium [overflow-wrap:anywhere]" dir="auto">
            {shownName(user)}
          </span>
          {channels.map((channel) => (
            <Badge key={channel}>{channel}</Badge>
          ))}
          {messages > 0 && <Badge tone="wait">messages</Badge>}
          {failed > 0 && <Badge tone="bad">{count(failed)} failed</Badge>}
        </span>
        <span className="min-w-0 truncate text-sm text-soft" dir="auto">
          {lastInput ?? ""}
        </span>
        <span className="text-soft text-xs tabular-nums md:text-right">
          {sumsOf(one).join(" · ")}
          <span className="block">{timeText(lastAt)}</span>
        </span>
      </Link>
    </li>
  );
}

/** What it comes to, as far as it is known. */
export function sumsOf({
  turns,
  messages,
  usage,
  cost,
}: Pick<Counterpart, "turns" | "messages" | "usage" | "cost">): readonly string[] {
  const tokens = tokensText(usage);
  return [
    ...(turns > 0 ? [plural(turns, "turn")] : []),
    ...(messages > 0 ? [plural(messages, "message")] : []),
    ...(tokens ? [`${tokens.input} tokens in, ${tokens.output} out`] : []),
    ...(turns === 0 ? [] : [cost === null ? "cost unknown" : dollars(cost)]),
  ];
}
