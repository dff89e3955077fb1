import type { Omission } from "charter";
import type { SectionAnswer } from "charter/answers";
import { Lock } from "lucide-react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, sectionPath, type Whose, withQuery } from "../../api/request.ts";
import { Card, Empty, Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { Hint } from "../../kit/hint.tsx";
import { Badge, Icon, Mutability } from "../../kit/icon.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { Copy, TextLink } from "../../kit/text-link.tsx";
import { plural, timeText } from "../../kit/words.ts";
import { omissionWords } from "../prompt/limit-panel.tsx";
import { Amendable } from "./amendable.tsx";
import { useCore, useOnRelays } from "./core-panel.tsx";
import { sizeOf } from "./section-list.tsx";

/** One section, as what it is: locked, made each turn, or to be changed. */
export function OneSection({ section: asked, ...whose }: Whose & { readonly section: string }) {
  const { agent, user } = whose;
  const { data, error, refetch, isPlaceholderData } = useApi<SectionAnswer>(sectionPath(whose, asked));
  // What was read for another section or another user's copy is not shown as this one's, not even for a moment.
  const section = isPlaceholderData ? undefined : data;
  const core = useCore(agent, useOnRelays(agent, section));
  if (!section) return error ? <Trouble problem={error} again={refetch} /> : <Loading />;
  return (
    <article aria-labelledby="section" className="@container space-y-4">
      <Header agent={agent} section={section} user={user} elsewhere={core !== undefined} />
      {section.notices.map(({ code, message }) => (
        <p key={code + message} role="status" className="rounded-lg border border-wait/50 bg-card p-3 text-sm">
          <code className="text-wait">{code}</code> {message}
        </p>
      ))}
      {section.mutability === "fixed" && <FixedWords section={section} />}
      {section.mutability === "live" && <LiveWords whose={whose} section={section} />}
      {section.mutability === "amendable" && section.text === null && (
        <Empty title="Each user has their own copy">Choose a user above to see theirs.</Empty>
      )}
      {section.mutability === "amendable" && section.text !== null && (
        <Amendable key={JSON.stringify(whose)} whose={whose} section={section} core={core} />
      )}
    </article>
  );
}

function Header({ agent, section, user, elsewhere }: HeaderProps) {
  const {
    name,
    mutability,
    layer,
    owner,
    heading,
    scope,
    amendableBy,
    approvedBy,
    revision,
    updatedAt,
    updatedByTurn,
  } = section;
  return (
    <header>
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h2 id="section" dir="auto" className="min-w-0 font-semibold text-lg tracking-tight [overflow-wrap:anywhere]">
          {name}
        </h2>
        <Mutability of={mutability} />
        {revision !== null && <Badge>{revision === 0 ? "original" : `revision ${revision}`}</Badge>}
      </div>
      <p className="mt-0.5 text-sm text-soft [overflow-wrap:anywhere]">
        Layer <bdi className="text-ink">{layer}</bdi>
        {owner !== null && (
          <>
            {" · owner "}
            <bdi className="text-ink">{owner}</bdi>
          </>
        )}
        {heading && (
          <>
            {" · under "}
            <code dir="auto" className="text-ink">
              {heading}
            </code>
          </>
        )}
        {mutability === "amendable" && (
          <>
            {" · "}
            {scope === "agent" ? (
              "shared by all users"
            ) : (
              <bdi className="font-medium text-ink">{user === undefined ? "one copy per user" : `${user}’s copy`}</bdi>
            )}
            {" · editable by "}
            <span className="text-ink">{amendableBy.join(", ") || "nobody"}</span>
            {approvedBy !== null && ` · approved by ${approvedBy}`}
          </>
        )}
        {updatedAt !== null && (
          <>
            {" · last changed "}
            <span className="text-ink">{timeText(updatedAt)}</span>
            {updatedByTurn === null ? (
              !elsewhere && " by a person"
            ) : (
              <>
                {" in a "}
                <TextLink href={placeOf(agent, "turns", updatedByTurn)}>turn</TextLink>
              </>
            )}
          </>
        )}
      </p>
    </header>
  );
}

type HeaderProps = Whose & {
  readonly section: SectionAnswer;
  /** It may have been written elsewhere: then nobody here knows by whom. */
  readonly elsewhere: boolean;
};

/** Words nobody changes: they, their digest, and why. */
export function FixedWords({ section: { text, digest } }: { readonly section: SectionAnswer }) {
  return (
    <>
      <Card className="flex gap-3 border-transparent bg-fixed-tint!">
        <Icon of={Lock} className="mt-0.5 size-5 text-fixed-ink" />
        <div className="min-w-0 text-sm">
          <p className="font-medium text-fixed-ink">
            Read-only: nobody can change this text while the agent runs.
            <Hint about="read-only text">
              It is part of the charter and in every prompt, complete and unchanged. Its digest is pinned in{" "}
              <code>charter.lock</code>: a new version of the charter with other text is refused until someone has
              reviewed <code>charter lock --diff</code>.
            </Hint>
          </p>
          {digest && (
            <p className="mt-1 flex flex-wrap items-center gap-x-2 text-fixed-ink">
              SHA-256 <code className="select-all [overflow-wrap:anywhere]">{digest}</code>
              <Copy text={digest} what="the digest" />
            </p>
          )}
        </div>
      </Card>
      <Card>
        <p className="mb-2 text-soft text-xs">{sizeOf(text ?? "")}</p>
        <LongText text={text ?? ""} max={20_000} className="font-mono text-[0.86em] leading-relaxed" />
      </Card>
    </>
  );
}

/** Words that are made afresh each turn: from where, and as they would be just now. */
function LiveWords({ whose, section }: { readonly whose: Whose; readonly section: SectionAnswer }) {
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
      <Trouble problem={error} again={refetch} />
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

/** What is needed of a prompt as the server shows it. */
export type PromptFacts = {
  readonly text: string;
  readonly sections: readonly {
    readonly name: string;
    readonly start: number;
    readonly end: number;
    readonly tokens: number;
    readonly source: string;
  }[];
  readonly omitted: readonly Omission[];
};

export type LiveNow = {
  readonly text: string;
  readonly tokens: number;
  readonly sources: readonly string[];
  /** Why it is not there, where it is not. */
  readonly missing: string | undefined;
};

/** A section as it would stand in the next prompt: its words, and where they come from. */
export function liveIn(prompt: PromptFacts, section: string): LiveNow {
  const spans = prompt.sections.filter(({ name }) => name === section);
  const omitted = prompt.omitted.find(({ name }) => name === section);
  return {
    text: spans.map(({ start, end }) => prompt.text.slice(start, end)).join("\n"),
    tokens: spans.reduce((sum, { tokens }) => sum + tokens, 0),
    sources: [...new Set(spans.map(({ source }) => source))],
    missing:
      spans.length > 0 ? undefined : `It ${omitted ? omissionWords(omitted) : "would not be in the next prompt"}.`,
  };
}
