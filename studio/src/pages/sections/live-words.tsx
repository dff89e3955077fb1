import type { SectionAnswer } from "charter/answers";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Card, Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import type { Whose } from "../../editor/use-amending.ts";
import { LongText } from "../../kit/text/long-text.tsx";
import { plural } from "../../kit/words.ts";
import { liveIn, type PromptFacts } from "./live-in.ts";

/** Words that are made afresh each turn: from where, and as they would be just now. */
export function LiveWords({ whose, section }: { readonly whose: Whose; readonly section: SectionAnswer }) {
  const { agent, user } = whose;
  const { data, error, refetch, isPlaceholderData } = useApi<PromptFacts>(
    withQuery(`/agents/${encodeName(agent)}/prompt`, { user, edition: "full" }),
  );
  const now = data && !isPlaceholderData ? liveIn(data, section.name) : undefined;
  return (
    <>
      <Card className="border-transparent bg-live-tint! text-live-ink text-sm">
        <p className="font-medium">Generated per turn, so there is nothing to edit and no history.</p>
        <p className="mt-0.5">
          {now?.sources.length ? (
            <>
              Source:{" "}
              {now.sources.map((source, index) => (
                <span key={source}>
                  {index > 0 && ", "}
                  <code dir="auto" className="[overflow-wrap:anywhere]">
                    {source}
                  </code>
                </span>
              ))}
              .{" "}
            </>
          ) : null}
          <Link
            href={placeOf(agent, "prompt", undefined, { user, section: section.name })}
            className="font-medium underline"
          >
            See it in the prompt
          </Link>
        </p>
      </Card>
      {error && <Trouble problem={error} again={refetch} />}
      {!error && !now && <Loading what="Loading…" />}
      {now && (
        <Card>
          <p className="mb-2 text-soft text-xs">
            In the prompt of a new conversation{user === undefined ? "" : ` with “${user}”`}
            {now.tokens > 0 && ` · ${plural(now.tokens, "token")}`}
          </p>
          {now.missing ? (
            <p className="text-sm">{now.missing}</p>
          ) : (
            <LongText text={now.text.trimEnd()} max={20_000} className="font-mono text-[0.86em] leading-relaxed" />
          )}
        </Card>
      )}
    </>
  );
}
