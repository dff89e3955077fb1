import type { SectionAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { Empty, Loading, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { sectionPath } from "../../editor/use-amending.ts";
import { Badge, Mutability } from "../../kit/icon.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { timeText } from "../../kit/words.ts";
import { Amendable } from "./amendable.tsx";
import { useCore, useOnRelays } from "./core/use-core.ts";
import { FixedWords } from "./fixed-words.tsx";
import { LiveWords } from "./live-words.tsx";

/** One section, as what it is: locked, made each turn, or to be changed. */
export function OneSection({
  agent,
  user,
  section: asked,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly section: string;
}) {
  const whose = { agent, user };
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

type HeaderProps = {
  readonly agent: string;
  readonly section: SectionAnswer;
  readonly user: string | undefined;
  /** It may have been written elsewhere: then nobody here knows by whom. */
  readonly elsewhere: boolean;
};
