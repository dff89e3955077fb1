import type { Span } from "charter";
import type { SectionAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Cause } from "../../../app/cause.tsx";
import { Loading } from "../../../app/page.tsx";
import { placeOf } from "../../../app/place.ts";
import type { Wanted } from "../../../assembly/assembled.ts";
import type { Placed } from "../../../assembly/placed.ts";
import { Hand } from "../../../kit/hand.tsx";
import { Lock } from "../../../kit/lock.tsx";
import { count, timeText } from "../../../kit/words.ts";
import type { Amendment } from "./authorship.ts";
import type { Author } from "./use-author.ts";

type WrittenProps = {
  readonly span: Span;
  readonly section: Placed;
  readonly wanted: Wanted;
  readonly facts: SectionAnswer | undefined;
  readonly author: Author;
};

/** Whose hand, in a sentence or two. */
export function Written(props: WrittenProps) {
  const { span, section, facts } = props;
  if (span.revision !== null) return <Amendable {...props} />;
  if (section.mutability === "fixed" && span.source === "charter")
    return (
      <Box>
        <p className="flex items-center gap-1.5 font-medium">
          <Lock /> Read-only
        </p>
        <p className="text-soft">Fixed text of the charter. Nobody can change it while the agent runs.</p>
        {facts?.digest && (
          <p className="text-soft text-xs">
            Digest <code className="[overflow-wrap:anywhere]">{facts.digest}</code>
          </p>
        )}
      </Box>
    );
  if (span.source === "charter")
    return <Box>Fixed text of the charter, such as a heading. Nobody can change it while the agent runs.</Box>;
  if (span.source === "fallback")
    return <Box>The section’s fallback text. It is shown because the section is empty.</Box>;
  return (
    <Box>
      Generated per turn from the source “<bdi>{firstWords(span.source)}</bdi>”.
    </Box>
  );
}

function Amendable({ section, wanted: { agent, user, ...others }, author }: WrittenProps) {
  const links = (
    <p className="flex flex-wrap gap-x-3">
      <Link href={placeOf(agent, "sections", section.name, { user })} className="text-accent underline">
        History
      </Link>
      {author.kind === "amended" && author.amendment.turn && (
        <Link
          href={placeOf(agent, "compare", undefined, {
            left: `turn:${author.amendment.turn}`,
            right: `now:${queryOf({ user, ...others })}`,
          })}
          className="text-accent underline"
        >
          Compare that turn with now
        </Link>
      )}
    </p>
  );
  if (author.kind === "reading") return <Loading what="Looking up who wrote it…" />;
  if (author.kind === "original")
    return (
      <Box>
        <p>Original text of the section. Nobody has changed it.</p>
        {links}
      </Box>
    );
  if (author.kind === "before")
    return (
      <Box>
        <p>Written in revision {count(author.revision)} or earlier.</p>
        {links}
      </Box>
    );
  return (
    <Box>
      <By agent={agent} user={user} amendment={author.amendment} exact={author.exact} />
      {links}
    </Box>
  );
}

type ByProps = {
  readonly agent: string;
  readonly user: string | undefined;
  readonly amendment: Amendment;
  readonly exact: boolean;
};

function By({ agent, user, amendment, exact }: ByProps) {
  const { actor, at, turn, reason, revision } = amendment;
  return (
    <>
      <p>
        {exact ? "Written by the" : "From the current text, last changed by the"} <Hand actor={actor} />, revision{" "}
        {count(revision)}, <time dateTime={at}>{timeText(at)}</time>
        {turn ? (
          <>
            , in turn{" "}
            <Link href={placeOf(agent, "turns", turn, { user })} className="text-accent underline">
              {turn}
            </Link>
          </>
        ) : (
          ", outside a turn"
        )}
        .
      </p>
      {reason ? (
        <p className="border-line border-l-2 pl-2 [overflow-wrap:anywhere]">
          <bdi>{reason}</bdi>
        </p>
      ) : (
        <Cause agent={agent} turn={turn} none="No reason was given." />
      )}
    </>
  );
}

const firstWords = (name: string): string => (name.length > 80 ? `${name.slice(0, 79)}…` : name);

function Box({ children }: { readonly children: ReactNode }) {
  return <div className="space-y-1.5 rounded-md bg-raised p-3">{children}</div>;
}

function queryOf(asked: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(given as [string, string][]).toString();
}
