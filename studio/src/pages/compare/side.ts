import { useQuery } from "@tanstack/react-query";
import type { Receipt } from "charter";
import type { TurnAnswer, TurnParts } from "charter/answers";
import { useMemo } from "react";
import { useApi } from "../../api/query-client.ts";
import { type ApiProblem, encodeName, getJson, withQuery } from "../../api/request.ts";
import { type Assembled, cacheRuleOf, placedSections } from "../../assembly/assembled.ts";
import { useAssembled } from "../../assembly/use-assembled.ts";
import type { CacheRule } from "../../strata/layout.ts";

/** One of the two things that are compared: what a turn sent, or the prompt the next one would have. */
export type Side = TurnSide | NowSide;

export type TurnSide = { readonly kind: "turn"; readonly turn: string };

export type NowSide = {
  readonly kind: "now";
  readonly user?: string;
  readonly channel?: string;
  readonly at?: string;
  readonly edition?: "full" | "compact";
  readonly tokens?: number;
};

/** As it stands in the address: `turn:<id>`, or `now:` and a query. What nobody could mean is left out. */
export function sideIn(text: string | undefined): Side | undefined {
  if (text?.startsWith("turn:") && text.length > 5) return { kind: "turn", turn: text.slice(5) };
  if (!text?.startsWith("now:")) return undefined;
  const query = new URLSearchParams(text.slice(4));
  const [user, channel, at] = ["user", "channel", "at"].map((key) => query.get(key) ?? "");
  const edition = query.get("edition");
  const tokens = Number(query.get("tokens") ?? "");
  return {
    kind: "now",
    ...(user ? { user } : {}),
    ...(channel ? { channel } : {}),
    ...(at && !Number.isNaN(Date.parse(at)) ? { at } : {}),
    ...(edition === "full" || edition === "compact" ? { edition } : {}),
    ...(Number.isInteger(tokens) && tokens > 0 ? { tokens } : {}),
  };
}

export function sideText(side: Side): string {
  if (side.kind === "turn") return `turn:${side.turn}`;
  const { kind: _, ...asked } = side;
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== "");
  return `now:${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}

/** A side, as far as it is read. `nothing`: why there are no words, where that is no failure. */
export type ReadSide = {
  readonly sent?: readonly Sent[];
  readonly nothing?: string;
  readonly problem?: Error;
  readonly turn?: TurnAnswer;
  /** Which of the turn's steps it is, from 1 on. */
  readonly step?: number;
  /** The channels one can choose from, where the side is the next prompt. */
  readonly channels?: readonly string[];
  /** How its prefix is cached, where the side is the next prompt. */
  readonly cache?: CacheRule;
};

export function useSide(agent: string, side: Side | undefined, wantedStep: number | undefined): ReadSide {
  const turn = useTurnSide(side?.kind === "turn" ? side.turn : undefined, wantedStep);
  const now = useNowSide(agent, side);
  return side?.kind === "turn" ? turn : now;
}

function useTurnSide(id: string | undefined, wantedStep: number | undefined): ReadSide {
  const about = useApi<TurnAnswer>(id === undefined ? undefined : `/turns/${encodeName(id)}`);
  const turn = about.data?.id === id ? about.data : undefined;
  const step = turn && Math.min(Math.max(1, wantedStep ?? turn.steps), turn.steps);
  const readable = turn !== undefined && turn.state !== "erased" && turn.steps > 0;
  // What was sent does not change any more: it is read once.
  const bytes = useQuery<TurnParts["bytes"], ApiProblem>({
    queryKey: ["sent", id, step],
    enabled: readable,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const path = withQuery(`/turns/${encodeName(id as string)}`, { parts: "bytes", step });
      return (await getJson<TurnAnswer<"bytes">>(path, signal)).bytes;
    },
  });
  const sent = useMemo(() => bytes.data && sentOf(bytes.data), [bytes.data]);
  const erased = turn?.state === "erased" || bytes.error?.status === 410;
  const known = { ...(turn ? { turn } : {}), ...(step ? { step } : {}) };
  if (erased) return { ...known, nothing: "What this turn sent was erased and cannot be restored." };
  if (turn?.steps === 0) return { ...known, nothing: "Nothing was sent in this turn: it ended before its first step." };
  const problem = bytes.error ?? (about.data ? undefined : about.error);
  if (problem) return { ...known, problem };
  return { ...known, ...(readable && sent ? { sent } : {}) };
}

function useNowSide(agent: string, side: Side | undefined): ReadSide {
  const wanted = side?.kind === "now" ? side : undefined;
  const { data, problem } = useAssembled(wanted && { agent, ...wanted });
  const sent = useMemo(() => data && sentNow(data), [data]);
  if (problem) return { problem, ...(data ? { channels: data.about.channels } : {}) };
  if (!data || !sent) return {};
  return { sent, channels: data.about.channels, cache: cacheRuleOf(data) };
}

/** A section as a model reads it, with its words; it can be drawn as a stratum. */
export type Sent = {
  readonly name: string;
  readonly layer: string;
  readonly mutability: "fixed" | "amendable" | "live";
  /** `system` (the prefix), `update` (told in the history) or, of earlier versions, `state` (the end). */
  readonly slot: string;
  readonly tail: boolean;
  readonly revision: number | null;
  readonly tokens: number;
  readonly cut: boolean;
  /** Without what parts it from the next, and without what delivery says before it. */
  readonly text: string;
};

/** What a step sent, section by section: the exact bytes, cut where the receipt says. */
export function sentOf({ slots, receipt }: Pick<TurnParts["bytes"], "slots" | "receipt">): readonly Sent[] {
  const { slots: kept, cuts } = receipt as Receipt;
  const cut = new Set(cuts.map(({ section }) => section));
  return kept.flatMap(({ slot, sections }, index) => {
    const words = slots[index]?.text ?? "";
    let at = 0;
    return sections.map(({ name, layer, mutability, revision, tokens, spans }, order): Sent => {
      let text = "";
      for (const { length, source } of spans) {
        if (source !== "delivery" || layer === "delivery") text += words.slice(at, at + length);
        at += length;
      }
      const about = { name, layer, mutability, slot, tail: slot !== "system", revision, tokens: tokens ?? 0 };
      return { ...about, cut: cut.has(name), text: order < sections.length - 1 ? alone(text) : text.trimEnd() };
    });
  });
}

/** Without what charters put between two sections: empty lines, and at most a rule among them. */
function alone(text: string): string {
  const words = text.trimEnd();
  const last = words.lastIndexOf("\n");
  return /^-{3,}$/.test(words.slice(last + 1)) ? words.slice(0, Math.max(0, last)).trimEnd() : words;
}

/** The same of a prompt that was assembled here. */
export function sentNow(assembled: Assembled): readonly Sent[] {
  const layered = assembled.about.receiver.slots === "layered";
  return placedSections(assembled).map(({ trust, start, end, gap, ...placed }) => {
    const { name, layer, mutability, revision, tokens, cut, tail } = placed;
    return {
      ...{ name, layer, mutability, revision, tokens, cut, tail },
      slot: (layered && tail) || trust === "foreign" ? "update" : "system",
      text: assembled.text.slice(start, end - gap).trimEnd(),
    };
  });
}
