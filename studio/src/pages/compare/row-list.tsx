import { ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { count, plural } from "../../kit/words.ts";
import { type Fold, folds, type Row } from "./align.ts";
import { RowCard } from "./row-card.tsx";

const maxFolds = 60;
const maxNames = 200;
/** So many differences are open at once; the others open on a click. */
const maxOpen = 12;

/** Section by section: what is the same is folded. */
export function RowList({
  agent,
  user,
  rows,
  selected,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly rows: readonly Row[];
  readonly selected: string | undefined;
}) {
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

function Same({
  agent,
  user,
  rows,
  selected,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly rows: readonly Row[];
  readonly selected: string | undefined;
}) {
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
