import type { NextRequestAnswer, PromptAnswer } from "charter/answers";
import { useMemo } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { type Assembled, cacheRuleOf, nowStrata, placedSections } from "../../assembly/assembled.ts";
import { useAssembled } from "../../assembly/use-assembled.ts";
import type { CacheRule } from "../../strata/line.ts";
import type { Stratum } from "../../strata/stratum.ts";

/** What goes out next, as bands: in a conversation that goes on (`now`), or in a new one. */
export type Picture = {
  readonly kind: "now" | "new";
  readonly strata: readonly (Stratum & { readonly revision: number | null; readonly isUpdate?: boolean })[];
  /** Of the sections, and of the whole request. */
  readonly tokens: number;
  readonly whole: number;
  readonly exact: boolean;
  readonly cache: CacheRule;
};

type Asked = {
  readonly agent: string;
  readonly user: string;
  readonly session: string | undefined;
  readonly isNew: boolean;
};

/** Where nothing can be sent (the model is broken, the session is gone), the prompt of a new conversation is shown. */
export function useNextPicture({ agent, user, session, isNew }: Asked): {
  readonly picture: Picture | undefined;
  readonly problem: Error | undefined;
} {
  const about = { parts: "request", user, channel: "web", session };
  const next = useApi<Pick<PromptAnswer, "request">>(
    isNew ? undefined : withQuery(`/agents/${encodeName(agent)}/prompt`, about),
  );
  const now = isNew || next.isPlaceholderData ? undefined : next.data?.request;
  const isAnew = isNew || next.error !== null || now?.session === null;
  const { data, problem } = useAssembled(isAnew ? { agent, user, channel: "web" } : undefined);
  const picture = useMemo(() => (isAnew ? data && newPicture(data) : now && nowPicture(now)), [isAnew, data, now]);
  return { picture, problem: isAnew && !data ? problem : undefined };
}

function newPicture(assembled: Assembled): Picture {
  const { total, exact } = assembled.tokens;
  const strata = placedSections(assembled);
  return { kind: "new", strata, tokens: total, whole: total, exact, cache: cacheRuleOf(assembled) };
}

function nowPicture(next: NextRequestAnswer): Picture {
  const strata = nowStrata(next);
  const tokens = strata.reduce((sum, one) => sum + one.tokens, 0);
  const { total, exact, tools } = next.tokens;
  return { kind: "now", strata, tokens, whole: total, exact, cache: { min: next.cacheMin, tools } };
}
