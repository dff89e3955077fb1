import type { TurnAnswer } from "charter/answers";
import { ChevronRight } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import type { Whose } from "../../api/request.ts";
import { placeOf } from "../../app/place.ts";
import { slotNames } from "../../billing/sample.ts";
import { Button } from "../../kit/field.tsx";
import { Badge, Icon, Mutability } from "../../kit/icon.tsx";
import { DiffView } from "../../kit/text/diff.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { count, plural, signed, timeText } from "../../kit/words.ts";
import { type Fold, folds, type Row } from "./align.ts";
import type { Sent } from "./side.ts";

const maxFolds = 60;
const maxNames = 200;
/** So many differences are open at once; the others open on a click. */
const maxOpen = 12;

type RowListProps = Whose & {
  readonly rows: readonly Row[];
  readonly selected: string | undefined;
};

/** Section by section: what is the same is folded. */
export function RowList({ agent, user, rows, selected }: RowListProps) {
  const all = useMemo(() => folds(rows), [rows]);
  const [wanted, setWanted] = useState(maxFolds);
  const chosen = selected === undefined ? -1 : all.findIndex((fold) => holds(fold, selected));
  const shown = Math.max(wanted, chosen + 1);
  return (
    <div className="space-y-2">
      {all.slice(0, shown).map((fold, index) => {
        const [first] = fold.rows as readonly [Row];
        const key = `${index} ${first.name}`;
        return fold.same ? (
          <Same
            key={key}
            agent={agent}
            user={user}
            rows={fold.rows}
            selected={index === chosen ? selected : undefined}
          />
        ) : (
          <RowCard
            key={key}
            agent={agent}
            user={user}
            row={first}
            open={first.kind !== "same" && index < maxOpen}
            selected={index === chosen}
          />
        );
      })}
      {shown < all.length && (
        <Button onClick={() => setWanted(shown + 5 * maxFolds)}>
          Show more ({count(all.length - shown)} are left)
        </Button>
      )}
    </div>
  );
}

function holds({ rows }: Fold, name: string): boolean {
  return rows.some((row) => row.name === name);
}

type SameProps = Whose & {
  readonly rows: readonly Row[];
  readonly selected: string | undefined;
};

function Same({ agent, user, rows, selected }: SameProps) {
  const [open, setOpen] = useState(false);
  const [all, setAll] = useState(false);
  const tokens = rows.reduce((sum, { right }) => sum + (right?.tokens ?? 0), 0);
  return (
    <details
      open={open || selected !== undefined}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group rounded-md border border-line border-dashed text-soft text-sm"
    >
      <summary className="flex list-none items-baseline gap-3 rounded-md px-3 py-1.5 hover:bg-raised">
        <Icon of={ChevronRight} className="size-3.5 self-center text-soft group-open:rotate-90" />
        <span className="min-w-0 flex-1 truncate">
          {rows.length === 1 ? "1 section is the same" : `${count(rows.length)} sections are the same`}:{" "}
          {rows
            .slice(0, 8)
            .map(({ name }) => name)
            .join(", ")}
          {rows.length > 8 && "…"}
        </span>
        <span className="whitespace-nowrap text-xs tabular-nums">{plural(tokens, "token")}</span>
      </summary>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 px-3 pb-2 text-xs">
        {rows.slice(0, all ? rows.length : maxNames).map(({ name, right }) => (
          <li key={name} className={name === selected ? "font-semibold" : ""}>
            <Link href={placeOf(agent, "sections", name, { user })} className="text-accent underline">
              <bdi className="[overflow-wrap:anywhere]">{name}</bdi>
            </Link>{" "}
            {count(right?.tokens ?? 0)}
          </li>
        ))}
        {!all && rows.length > maxNames && (
          <li>
            <button type="button" className="font-medium text-accent underline" onClick={() => setAll(true)}>
              Show all {count(rows.length)}
            </button>
          </li>
        )}
      </ul>
    </details>
  );
}

/** Past so many characters on both sides, words are compared when one asks for it. */
const longest = 200_000;

const looks = {
  same: ["same text", "plain", "border-s-line"],
  changed: ["changed", "wait", "border-s-amendable"],
  left: ["only left", "bad", "border-s-bad"],
  right: ["only right", "good", "border-s-good"],
} as const;

type RowCardProps = Whose & {
  readonly row: Row;
  readonly open: boolean;
  readonly selected: boolean;
};

/** One section that differs: how, where, by how much, and its words. */
function RowCard({ agent, user, row, open: opened, selected }: RowCardProps) {
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
        <Mutability of={one.mutability} />
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
  return `${count(left.tokens)} → ${count(right.tokens)} tokens (${signed(right.tokens - left.tokens)})`;
}

const maxWords = 48;

/** A turn on one line, to choose it by. */
export function turnText({ startedAt, scope, channel, input, state }: TurnAnswer): string {
  const words = [...input.replace(/\s+/g, " ").slice(0, 2 * maxWords)];
  const said = words.length > maxWords ? `${words.slice(0, maxWords).join("")}…` : words.join("");
  const where = channel === null || channel === "web" ? "" : ` on ${channel}`;
  return `${timeText(startedAt)} · ${scope.user ?? "no user"}${where} · ${state === "erased" ? "erased" : `“${said}”`}`;
}
