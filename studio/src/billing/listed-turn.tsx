import type { SessionListAnswer, TurnAnswer, TurnListAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { Badge, type Tone } from "../kit/icon.tsx";
import { count, dollars, plural } from "../kit/words.ts";
import { MarkIcon } from "./mark-icon.tsx";

type Told<Row, Key extends keyof Row> = Row & { readonly [One in Key]-?: Exclude<Row[One], undefined> };

/** A turn of a list. An operator is told all of it, a user less: and this page is an operator's. */
export type ListedTurn = Told<TurnAnswer, "model" | "cost" | "usage" | "because" | "events">;
export type ListedSession = Told<SessionListAnswer["sessions"][number], "cost" | "usage" | "models">;
export type TurnPage = Omit<TurnListAnswer, "turns"> & { readonly turns: readonly ListedTurn[] };
export type SessionPage = Omit<SessionListAnswer, "sessions"> & { readonly sessions: readonly ListedSession[] };
export type TurnEvent = ListedTurn["events"][number];
export type Usage = ListedTurn["usage"];

/** What it cost. Nobody knows, where no price is known; a turn that never asked a model cost nothing to speak of. */
export function costText({ cost, state }: Pick<ListedTurn, "cost" | "state">): string {
  if (cost !== null) return dollars(cost);
  return state === "answered" ? "unknown" : "–";
}

/** Tokens in and out as the provider counted them; where it did not, that. */
export function tokensText({ input, output }: Usage): { readonly input: string; readonly output: string } | undefined {
  if (input === null && output === null) return undefined;
  const text = (value: number | null) => (value === null ? "unknown" : count(value));
  return { input: text(input), output: text(output) };
}

/** The same in one sentence, with what was read from the cache. */
export function tokensSentence({ input, read, output }: Usage): string {
  if (input === null && output === null) return "The provider counted no tokens.";
  const cached = input !== null && read !== null && read > 0 ? `, ${count(read)} of them read from the cache` : "";
  const sent = input === null ? "Input not counted" : `${plural(input, "token")} in${cached}`;
  return `${sent}; ${output === null ? "output not counted" : `${count(output)} out`}.`;
}

const maxOpening = 300;

/** The first words of a text, on one line; none of its characters is halved. */
export function opening(text: string): string {
  const line = [...text.slice(0, 2 * maxOpening)].slice(0, maxOpening).join("").replaceAll(/\s+/g, " ").trim();
  return line.length < text.trim().length && text.length > maxOpening ? `${line}…` : line;
}

/** How long something took, as one says it. */
export function tookText(from: string, to: string): string {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const all = Math.round(ms / 1_000);
  const [minutes, seconds] = [Math.floor(all / 60), all % 60];
  return minutes < 60 ? `${minutes} min ${seconds} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Why a turn has no good answer, in its row and first on its page; undefined where nothing went wrong. */
export function failedText({ state, because }: Pick<TurnAnswer, "state" | "because">): string | undefined {
  if (state === "interrupted") return "The process that ran it stopped.";
  if (state !== "failed") return undefined;
  return because?.message ?? "It failed, and nobody said why.";
}

/** How a turn ended, or that it has not. */
export function TurnState({ state }: Pick<TurnAnswer, "state">) {
  if (state === "answered")
    return (
      <Badge tone="good">
        <span className="whitespace-nowrap">answered</span>
      </Badge>
    );
  const tone = { running: "live", failed: "bad", interrupted: "bad", erased: "plain" } as const;
  return (
    <Badge tone={tone[state]}>
      <MarkIcon kind={state} />
      <span className="whitespace-nowrap">{state}</span>
    </Badge>
  );
}

type Look = { readonly tone: Tone; readonly words: string; readonly icon?: Parameters<typeof MarkIcon>[0]["kind"] };

const looks: Readonly<Partial<Record<TurnEvent, Look>>> = {
  amended: { tone: "amendable", words: "amended", icon: "amended" },
  refused: { tone: "bad", words: "refused", icon: "refused" },
  held: { tone: "wait", words: "needed approval", icon: "held" },
  "cache-miss": { tone: "plain", words: "cache miss", icon: "broken" },
  tool: { tone: "plain", words: "tool" },
};

/** What happened in a turn, a badge each. That it failed its state says already, what was read its tokens. */
export function EventBadges({ events }: { readonly events: readonly TurnEvent[] }): ReactNode {
  const shown = events.flatMap((event) => looks[event] ?? []);
  if (shown.length === 0) return null;
  return (
    <span className="inline-flex flex-wrap gap-1">
      {shown.map(({ tone, words, icon }) => (
        <Badge key={words} tone={tone}>
          {icon && <MarkIcon kind={icon} />}
          <span className="whitespace-nowrap">{words}</span>
        </Badge>
      ))}
    </span>
  );
}
