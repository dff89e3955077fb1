import { useVirtualizer } from "@tanstack/react-virtual";
import type { SectionAnswer } from "charter/answers";
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Empty } from "../../app/page.tsx";
import { useAsked } from "../../app/place.ts";
import { Input, useTyped } from "../../kit/field.tsx";
import { count, plural } from "../../kit/words.ts";
import { SectionRow } from "./section-row.tsx";
import { type ListRow, listRows, nextSection, tabStop } from "./section-rows.ts";

/** All sections, under their layers. Only what is in view is drawn; the arrows walk through all of them. */
export function SectionList({
  agent,
  user,
  sections,
  chosen,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly sections: readonly SectionAnswer[];
  readonly chosen: string | undefined;
}) {
  const [asked, setAsked] = useAsked();
  const [lookedFor, lookFor] = useTyped(asked("find") ?? "", (find) => setAsked({ find }));
  const deferred = useDeferredValue(lookedFor);
  const rows = useMemo(() => listRows(sections, deferred), [sections, deferred]);
  const found = rows.filter(({ kind }) => kind === "section").length;
  return (
    <div className="flex min-h-0 flex-col gap-2">
      <Input
        type="search"
        aria-label="Find a section"
        placeholder={`Find in ${plural(sections.length, "section")}`}
        value={lookedFor}
        onChange={({ target }) => lookFor(target.value)}
      />
      {lookedFor !== "" && (
        <p role="status" className="px-1 text-soft text-xs">
          {found === sections.length ? "All sections" : `${count(found)} of ${plural(sections.length, "section")}`}
        </p>
      )}
      {rows.length === 0 ? (
        <Empty title={lookedFor === "" ? "No sections" : "No matches"}>
          {lookedFor === "" ? "This charter has none." : "Names, layers, headings and text were searched."}
        </Empty>
      ) : (
        <Rows key={deferred} rows={rows} agent={agent} user={user} chosen={chosen} follows={deferred === ""} />
      )}
    </div>
  );
}

const heights = { layer: 34, section: 54 };

function Rows({
  rows,
  agent,
  user,
  chosen,
  follows,
}: {
  readonly rows: readonly ListRow[];
  readonly agent: string;
  readonly user: string | undefined;
  readonly chosen: string | undefined;
  /** What is chosen is brought into view; not while someone looks for something else. */
  readonly follows: boolean;
}) {
  const around = useRef<HTMLElement>(null);
  const wanted = useRef<number>(undefined);
  const at = rows.findIndex((row) => row.kind === "section" && row.section.name === chosen);
  const [last, setLast] = useState(at);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => around.current,
    estimateSize: (index) => heights[rows[index]?.kind ?? "section"],
    getItemKey: (index) => keyOf(rows[index]),
    overscan: 10,
    useFlushSync: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen is brought into view once, not whenever the list changes.
  useEffect(() => {
    if (at < 0 || !follows) return;
    setLast(at);
    virtual.scrollToIndex(at, { align: "auto" });
  }, [chosen]);
  const drawn = virtual.getVirtualItems();
  const stop = tabStop(
    rows,
    drawn.map(({ index }) => index),
    last,
  );
  const walk = (event: KeyboardEvent) => {
    const next = nextSection(rows, last, event.key);
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setLast(next);
    wanted.current = next;
    virtual.scrollToIndex(next, { align: "auto" });
  };
  // A row far away is drawn only once the list has scrolled there.
  useEffect(() => {
    const row = around.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"]`);
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });
  return (
    <nav
      ref={around}
      aria-label="Sections"
      onKeyDown={walk}
      className="min-h-0 flex-1 overflow-y-auto rounded-lg border border-line bg-card"
    >
      <ul className="relative" style={{ height: virtual.getTotalSize() }}>
        {drawn.map(({ index, start, key }) => {
          const row = rows[index] as ListRow;
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              {row.kind === "layer" ? (
                <p className="flex items-baseline justify-between gap-2 px-3 pt-3 pb-1 text-soft text-xs">
                  <span className="truncate">
                    layer <bdi className="font-medium">{row.name}</bdi>
                  </span>
                  {row.sections > 1 && <span>{count(row.sections)}</span>}
                </p>
              ) : (
                <SectionRow
                  agent={agent}
                  user={user}
                  section={row.section}
                  chosen={row.section.name === chosen}
                  row={index}
                  stop={index === stop}
                  onFocus={() => setLast(index)}
                />
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function keyOf(row: ListRow | undefined): string {
  return row?.kind === "section" ? `section ${row.section.name}` : `layer ${row?.name}`;
}
