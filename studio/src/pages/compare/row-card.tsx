import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { Badge, Icon } from "../../kit/icon.tsx";
import { DiffView } from "../../kit/text/diff.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { count } from "../../kit/words.ts";
import type { Row } from "./align.ts";
import type { Sent } from "./sent.ts";
import { difference, slotNames } from "./told.ts";

/** Past so many characters on both sides, words are compared when one asks for it. */
const longest = 200_000;

const looks = {
  same: ["same text", "plain", "border-s-line"],
  changed: ["changed", "wait", "border-s-amendable"],
  left: ["only left", "bad", "border-s-bad"],
  right: ["only right", "good", "border-s-good"],
} as const;

/** One section that differs: how, where, by how much, and its words. */
export function RowCard({
  agent,
  user,
  row,
  open: opened,
  selected,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly row: Row;
  readonly open: boolean;
  readonly selected: boolean;
}) {
  const { kind, name, moved, left, right } = row;
  const one = (right ?? left) as Sent;
  const [words, tone, edge] = looks[kind];
  const [open, setOpen] = useState(opened);
  const card = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!selected) return;
    setOpen(true);
    card.current?.scrollIntoView({ block: "center" });
  }, [selected]);
  return (
    <details
      ref={card}
      data-section={name}
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className={`group rounded-md border border-line border-s-4 bg-card ${edge} ${selected ? "outline-2 outline-ink" : ""}`}
    >
      <summary className="flex list-none flex-wrap items-baseline gap-x-3 gap-y-1 rounded-md px-3 py-2 hover:bg-raised">
        <Icon of={ChevronRight} className="size-3.5 self-center text-soft group-open:rotate-90" />
        <bdi className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</bdi>
        <Badge tone={tone}>{words}</Badge>
        <Badge tone={one.mutability}>{one.mutability}</Badge>
        {where(row) && <span className="text-soft text-xs">{where(row)}</span>}
        {moved && left?.slot === right?.slot && <Badge>elsewhere</Badge>}
        <span className="ms-auto text-soft text-xs tabular-nums">{tokensText(left, right)}</span>
      </summary>
      {open && (
        <div className="space-y-2 px-3 pb-3">
          <Words row={row} />
          <Link href={placeOf(agent, "sections", name, { user })} className="text-accent text-xs underline">
            in Sections
          </Link>
        </div>
      )}
    </details>
  );
}

function Words({ row: { kind, left, right } }: { readonly row: Row }) {
  const [wanted, setWanted] = useState(false);
  const size = (left?.text.length ?? 0) + (right?.text.length ?? 0);
  if (kind !== "changed")
    return (
      <LongText
        text={(right ?? left)?.text ?? ""}
        className="rounded-md border border-line px-3 py-2 font-mono text-[0.8rem] leading-5"
      />
    );
  if (size > longest && !wanted)
    return <Button onClick={() => setWanted(true)}>Compare the text ({count(size)} characters)</Button>;
  return <DiffView before={left?.text ?? ""} after={right?.text ?? ""} />;
}

/** Where it stands, as far as that says something. */
function where({ left, right }: Row): string {
  const [from, to] = [left, right].map((one) => one && (slotNames[one.slot] ?? one.slot));
  const revisions = left && right && left.revision !== right.revision;
  const changed = revisions ? `revision ${left.revision ?? 0} → ${right.revision ?? 0}` : "";
  const placed = from && to ? (from === to ? "" : `${from} → ${to}`) : `in ${from ?? to}`;
  return [changed, placed].filter((words) => words !== "").join(" · ");
}

function tokensText(left: Sent | undefined, right: Sent | undefined): string {
  if (!left || !right) return `${count((left ?? right)?.tokens ?? 0)} tokens`;
  if (left.tokens === right.tokens) return `${count(left.tokens)} tokens`;
  return `${count(left.tokens)} → ${count(right.tokens)} tokens (${difference(left.tokens, right.tokens)})`;
}
