import type { HistoryAnswer, SectionAnswer } from "charter/answers";
import { Lock, X } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { Link } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { encodeName, getJson, sectionPath, sendJson, type Whose, withQuery } from "../../api/request.ts";
import { Cause } from "../../app/cause.tsx";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { placeOf, useAsked } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { Hand } from "../../kit/hand.tsx";
import { Icon, Mutability } from "../../kit/icon.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, plural, sourceText, timeText } from "../../kit/words.ts";
import {
  type Amendment,
  type Block,
  type HandStretch,
  inAddress,
  notIn,
  type PlacedWord,
  type PromptDocument,
  type Stretch,
  stretchOf,
  wordIn,
} from "./document.ts";
import { titleOf } from "./ribbon.tsx";

type PanelProps = {
  readonly document: PromptDocument;
  readonly amendments: readonly Amendment[];
  readonly about: Whose;
  readonly word: Stretch;
  readonly onClose: () => void;
  /** Opens a section in place, with these words to go on from. */
  readonly onEdit: (section: string, from?: string) => void;
};

/** Everything there is to say of one word: whose it is, since when, in which turn, because of what; and taking it back. */
export function WordPanel({ document, amendments, about, word, onClose, onEdit }: PanelProps) {
  const block = document.blocks.find(({ start, end }) => word.start >= start && word.start < end);
  const span = document.spans.find(({ start, end }) => word.start >= start && word.start < end);
  return (
    <section
      aria-label="Who wrote this word"
      aria-live="polite"
      className="space-y-3 text-sm"
      onKeyDown={({ key }) => key === "Escape" && onClose()}
    >
      <div className="flex items-start justify-between gap-2">
        <p className="min-w-0 font-medium font-mono text-base [overflow-wrap:anywhere]">
          “<bdi>{document.text.slice(word.start, word.end)}</bdi>”
        </p>
        <Button kind="quiet" className="-mt-1 -mr-1 px-2!" aria-label="Close" onClick={onClose}>
          <Icon of={X} className="mx-auto" />
        </Button>
      </div>
      {block && span && (block.kind === "section" || block.kind === "update") && (
        <OfSection span={span} block={block} amendments={amendments} about={about} onEdit={onEdit} />
      )}
      {block?.kind === "message" && span && <OfMessage span={span} block={block} agent={about.agent} />}
      {block?.kind === "tools" && <p>How a tool is described to the model, by the program that has it.</p>}
    </section>
  );
}

type OfSectionProps = {
  readonly span: HandStretch;
  readonly block: Extract<Block, { kind: "section" | "update" }>;
  readonly amendments: readonly Amendment[];
  readonly about: Whose;
  readonly onEdit: PanelProps["onEdit"];
};

function OfSection({ span, block: { section, tokens }, amendments, about, onEdit }: OfSectionProps) {
  const { agent, user } = about;
  const isOwn = section.layer !== "delivery";
  const facts = useApi<SectionAnswer>(isOwn ? sectionPath(about, section.name) : undefined);
  const amendment = amendments.find((one) => one.section === section.name && one.revision === span.revision);
  return (
    <>
      <div className="space-y-1.5 rounded-md bg-raised p-3">
        <Origin span={span} section={section} amendment={amendment} agent={agent} digest={facts.data?.digest} />
        {span.replaced && <p className="text-wait">A later update in this conversation has other words for it.</p>}
        {amendment && <Undo {...{ amendment, about, onEdit }} facts={facts.data} />}
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 [overflow-wrap:anywhere]">
        <Fact of="Section">
          <Link href={placeOf(agent, "sections", section.name, { user })} className="font-medium text-accent underline">
            <bdi>{section.name}</bdi>
          </Link>{" "}
          <span className="text-soft tabular-nums">{plural(tokens, "token")}</span>
        </Fact>
        <Fact of="Layer">
          <bdi>{section.layer}</bdi>
        </Fact>
        <Fact of="Mutability">
          <Mutability of={section.mutability} />{" "}
          {facts.data && facts.data.amendableBy.length > 0 && (
            <span className="text-soft">by {facts.data.amendableBy.join(", ")}</span>
          )}
        </Fact>
        <Fact of="Source">
          <bdi className="line-clamp-6">{sourceText(span.source)}</bdi>
        </Fact>
        {span.part !== undefined && (
          <Fact of="Part">
            <bdi>{span.part}</bdi>
          </Fact>
        )}
      </dl>
      <Trouble problem={facts.error} />
    </>
  );
}

type OriginProps = {
  readonly span: HandStretch;
  readonly section: OfSectionProps["block"]["section"];
  readonly amendment: Amendment | undefined;
  readonly agent: string;
  readonly digest: string | null | undefined;
};

function Origin({ span: { hand, revision, source }, section, amendment, agent, digest }: OriginProps) {
  if (amendment) return <Amended amendment={amendment} agent={agent} />;
  if (revision !== null)
    return (
      <p>
        Original text of the section, by the <Hand actor={hand} />. Nobody has changed it.
      </p>
    );
  if (section.mutability === "fixed" && source === "charter")
    return (
      <>
        <p className="flex items-center gap-1.5 font-medium">
          <Icon of={Lock} /> Read-only
        </p>
        <p className="text-soft">Fixed text of the charter. Nobody can change it while the agent runs.</p>
        {digest && (
          <p className="text-soft text-xs">
            Digest <code className="[overflow-wrap:anywhere]">{digest}</code>
          </p>
        )}
      </>
    );
  if (source === "charter")
    return <p>Fixed text of the charter, such as a heading. Nobody can change it while the agent runs.</p>;
  if (source === "fallback") return <p>The section’s fallback text. It is shown because the section is empty.</p>;
  return (
    <p>
      {hand === "stranger" ? "Untrusted text, fenced, of a " : "Text of a "}
      <Hand actor={hand} />. Generated per turn from the source “<bdi>{source.slice(0, 80)}</bdi>”.
    </p>
  );
}

type AmendedProps = { readonly amendment: Amendment; readonly agent: string };

function Amended({ amendment: { actor, at, turn, reason, revision }, agent }: AmendedProps) {
  return (
    <>
      <p>
        Written by the <Hand actor={actor} />, revision {count(revision)}, <time dateTime={at}>{timeText(at)}</time>
        {turn ? (
          <>
            , in turn <TextLink href={placeOf(agent, "turns", turn)}>{turn}</TextLink>
          </>
        ) : (
          ", outside a turn"
        )}
        .
      </p>
      {reason ? (
        <p dir="auto" className="border-line border-s-2 ps-2 [overflow-wrap:anywhere]">
          {reason}
        </p>
      ) : (
        <Cause agent={agent} turn={turn} none="No reason was given." />
      )}
    </>
  );
}

type UndoProps = {
  readonly amendment: Amendment;
  readonly about: Whose;
  readonly facts: SectionAnswer | undefined;
  readonly onEdit: PanelProps["onEdit"];
};

/** A new revision without this change. Where later ones stand on it, the editor opens with both. */
function Undo({ amendment: { section, revision }, about, facts, onEdit }: UndoProps) {
  const { busy, problem, run } = useAct();
  const [says, setSays] = useState<string>();
  if (!facts?.amendableBy.includes("operator")) return null;
  const isNewest = facts.revision === revision;
  const undo = () =>
    run(async () => {
      if (isNewest) {
        const operation = { kind: "revert", to: revision - 1 };
        const body = { section, user: about.user, revision, operation, reason: `Undo of revision ${revision}` };
        await sendJson(`/agents/${encodeName(about.agent)}/proposals`, body);
        return setSays(`Undone, as revision ${revision + 1}.`);
      }
      const path = `/agents/${encodeName(about.agent)}/sections/${encodeName(section)}/history`;
      const asked = withQuery(path, { user: about.user, limit: 1, before: revision + 1 });
      const [change] = (await getJson<HistoryAnswer>(asked)).amendments;
      if (change?.before == null || change.after == null) return setSays("Its text was erased.");
      onEdit(section, withoutChange(facts.text ?? "", { before: change.before, after: change.after }));
    });
  return (
    <div className="pt-1">
      <Button disabled={busy} onClick={undo}>
        {isNewest ? "Undo" : "Undo…"}
      </Button>
      {!isNewest && <p className="mt-1 text-soft text-xs">Later changes build on it: both texts are shown first.</p>}
      {says && <p role="status">{says}</p>}
      <Trouble problem={problem} />
    </div>
  );
}

type OfMessageProps = {
  readonly span: HandStretch;
  readonly block: Extract<Block, { kind: "message" }>;
  readonly agent: string;
};

function OfMessage({ span, block, agent }: OfMessageProps) {
  const turn = block.said?.turn;
  return (
    <div className="space-y-1.5 rounded-md bg-raised p-3">
      <p>
        {titleOf(block)}: words of the <Hand actor={span.hand} />
        {span.hand === "stranger" && ", fenced: data, not instructions"}.
      </p>
      {turn && (
        <p>
          Said in turn <TextLink href={placeOf(agent, "turns", turn)}>{turn}</TextLink>.
        </p>
      )}
    </div>
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

/**
 * The words that stand, with one earlier change taken back: what it put in its place gives way to what stood there. Where
 * later changes have touched that, what it brought is taken out as far as it is still there.
 */
export function withoutChange(
  stands: string,
  { before, after }: { readonly before: string; readonly after: string },
): string {
  let first = 0;
  while (first < Math.min(before.length, after.length) && before[first] === after[first]) first++;
  let last = 0;
  const most = Math.min(before.length, after.length) - first;
  while (last < most && before[before.length - 1 - last] === after[after.length - 1 - last]) last++;
  const [put, stood] = [after.slice(first, after.length - last), before.slice(first, before.length - last)];
  if (put !== "" && once(stands, put)) return stands.replace(put, () => stood);
  return notIn(after, before).reduce((text, { start, end }) => {
    const words = after.slice(start, end);
    return words.trim() !== "" && once(text, words) ? text.replace(words, "") : text;
  }, stands);
}

function once(text: string, words: string): boolean {
  const at = text.indexOf(words);
  return at !== -1 && text.indexOf(words, at + 1) === -1;
}

/** The word the keys are on, and whether it is asked about: then the address names it. It is lost when it is no longer there. */
export function useWord(text: string, sections: readonly Block[]) {
  const [asked, change] = useAsked();
  const [kept, setKept] = useState<PlacedWord>();
  const named = asked("word");
  const at = useMemo(() => {
    const own = named === undefined || (kept && inAddress(kept) === named) ? kept : undefined;
    if (own) return stretchOf(own, text, sections);
    return named === undefined ? undefined : wordIn(named, text, sections);
  }, [kept, named, text, sections]);
  const open = named !== undefined && at !== undefined;
  const move = (word: Stretch, asking = open) => {
    const { start, end } = word;
    const section = sections.find((one) => start >= one.start && start < one.end);
    if (!section) return;
    const next = { section: section.name, from: start - section.start, words: text.slice(start, end) };
    setKept(next);
    if (asking) change({ word: inAddress(next) });
  };
  return {
    at,
    open,
    move: (word: Stretch) => move(word),
    choose: (word: Stretch) => move(word, true),
    close: () => change({ word: undefined }),
  };
}
