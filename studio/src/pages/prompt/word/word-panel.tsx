import type { Span } from "charter";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Loading, Trouble } from "../../../app/page.tsx";
import { placeOf } from "../../../app/place.ts";
import type { Assembled, Wanted } from "../../../assembly/assembled.ts";
import type { Placed } from "../../../assembly/placed.ts";
import { Badge } from "../../../kit/badge.tsx";
import { Button } from "../../../kit/button.tsx";
import { Lock } from "../../../kit/lock.tsx";
import { count, plural, sourceText } from "../../../kit/words.ts";
import { useAuthor, useSpan } from "./use-author.ts";
import type { Stretch } from "./word.ts";
import { Written } from "./written.tsx";

type PanelProps = {
  readonly assembled: Assembled;
  readonly sections: readonly Placed[];
  readonly wanted: Wanted;
  readonly word: Stretch;
  readonly onClose: () => void;
};

/** Everything there is to say of one word: where it stands, who wrote it, in which turn and why. */
export function WordPanel({ assembled, sections, wanted, word, onClose }: PanelProps) {
  const span = useSpan(assembled, word.start);
  const section = sections.find(({ start, end }) => word.start >= start && word.start < end);
  return (
    <section
      aria-label="Who wrote this word"
      aria-live="polite"
      className="space-y-3 text-sm"
      onKeyDown={({ key }) => key === "Escape" && onClose()}
    >
      <div className="flex items-start justify-between gap-2">
        <p className="min-w-0 font-medium font-mono text-base [overflow-wrap:anywhere]">
          “<bdi>{assembled.text.slice(word.start, word.end)}</bdi>”
        </p>
        <Button kind="quiet" className="-mt-1 -mr-1 px-2!" aria-label="Close" onClick={onClose}>
          ✕
        </Button>
      </div>
      {span && section ? (
        <About span={span} section={section} wanted={wanted} word={word} text={assembled.text} />
      ) : (
        <Loading />
      )}
    </section>
  );
}

type AboutProps = {
  readonly span: Span;
  readonly section: Placed;
  readonly wanted: Wanted;
  readonly word: Stretch;
  readonly text: string;
};

function About({ span, section, wanted, word, text }: AboutProps) {
  const { facts, author, problem } = useAuthor({ wanted, text, span, word });
  const place = placeOf(wanted.agent, "sections", section.name, { user: wanted.user });
  return (
    <>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 [overflow-wrap:anywhere]">
        <Fact of="Section">
          <Link href={place} className="font-medium text-accent underline">
            <bdi>{section.name}</bdi>
          </Link>{" "}
          <span className="text-soft tabular-nums">{plural(section.tokens, "token")}</span>
        </Fact>
        <Fact of="Layer">
          <bdi>{section.layer}</bdi>
        </Fact>
        <Fact of="Mutability">
          <Badge tone={section.mutability}>
            {section.mutability === "fixed" && <Lock />}
            {section.mutability}
          </Badge>{" "}
          {facts && facts.amendableBy.length > 0 && <span className="text-soft">by {listed(facts.amendableBy)}</span>}
        </Fact>
        <Fact of="Trust">{trusts[span.trust]}</Fact>
        <Fact of="Source">
          <bdi className="line-clamp-6">{sourceText(span.source)}</bdi>
        </Fact>
        {span.part !== undefined && (
          <Fact of="Part">
            <bdi>{span.part}</bdi>
          </Fact>
        )}
        {span.revision !== null && <Fact of="Revision">{count(span.revision)}</Fact>}
        {section.cut && <Fact of="Trimmed">Shortened to fit.</Fact>}
      </dl>
      {problem && <Trouble problem={problem} />}
      <Written span={span} section={section} wanted={wanted} facts={facts} author={author} />
    </>
  );
}

function Fact({ of, children }: { readonly of: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{of}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

const trusts = {
  own: "own: written by the operator or by code",
  user: "user: written by this user or by the agent",
  foreign: "foreign: untrusted text, fenced",
} as const;

function listed(actors: readonly string[]): string {
  return actors.length < 2 ? actors.join("") : `${actors.slice(0, -1).join(", ")} and ${actors.at(-1)}`;
}
