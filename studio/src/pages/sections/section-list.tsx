import { useVirtualizer } from "@tanstack/react-virtual";
import { countCharacters } from "charter";
import type { SectionAnswer } from "charter/answers";
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import type { Whose } from "../../api/request.ts";
import { Empty } from "../../app/page.tsx";
import { placeOf, useAsked } from "../../app/place.ts";
import { draftPlace } from "../../editor/use-amending.ts";
import { hasDraft } from "../../kit/draft.ts";
import { Input, useTyped } from "../../kit/field.tsx";
import { Icon, mutabilityIcons } from "../../kit/icon.tsx";
import { count, plural, shortCount } from "../../kit/words.ts";
import { CoreLine, isCore } from "./core-panel.tsx";

/** All sections, under their layers. Only what is in view is drawn; the arrows walk through all of them. */
export function SectionList({ sections, ...others }: ListProps) {
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
        <Rows key={deferred} rows={rows} follows={deferred === ""} {...others} />
      )}
    </div>
  );
}

type ListProps = Whose & {
  readonly sections: readonly SectionAnswer[];
  readonly chosen: string | undefined;
};

const heights = { layer: 34, section: 54 };

type RowsProps = Omit<ListProps, "sections"> & {
  readonly rows: readonly ListRow[];
  /** What is chosen is brought into view; not while someone looks for something else. */
  readonly follows: boolean;
};

function Rows({ rows, agent, user, chosen, follows }: RowsProps) {
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

const bandOf: Readonly<Record<SectionAnswer["mutability"], string>> = {
  fixed: "bg-fixed",
  amendable: "bg-amendable",
  live: "bg-live",
};

type SectionRowProps = Whose & {
  readonly section: SectionAnswer;
  readonly chosen: boolean;
  readonly row: number;
  readonly stop: boolean;
  readonly onFocus: () => void;
};

/** One section of the list: its colour, its name, its revision; then whose copy it is, who may change it, how long it is. */
function SectionRow({ agent, user, section, chosen, row, stop, onFocus }: SectionRowProps) {
  const { name, mutability, revision, text } = section;
  const about = aboutSection(section, user);
  const unsaved = !chosen && mutability === "amendable" && hasDraft(draftPlace({ agent, user }, section));
  return (
    <Link
      href={placeOf(agent, "sections", name, asked())}
      aria-current={chosen ? "page" : undefined}
      tabIndex={stop ? 0 : -1}
      data-row={row}
      onFocus={onFocus}
      title={`${name}: ${about}`}
      className={`flex gap-2.5 py-1.5 pr-3 pl-2 -outline-offset-2 hover:bg-raised ${chosen ? "bg-raised" : ""}`}
    >
      <span aria-hidden="true" className={`w-1 shrink-0 rounded-full ${bandOf[mutability]}`} />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5 text-sm leading-5">
          <bdi className={`truncate ${chosen ? "font-semibold" : "font-medium"}`}>{name}</bdi>
          <Icon of={mutabilityIcons[mutability]} className="size-3 text-soft" />
          {unsaved && <span className="shrink-0 text-wait text-xs">unsaved</span>}
          {revision !== null && revision > 0 && (
            <span className="ml-auto shrink-0 pl-1 text-soft text-xs tabular-nums">r{revision}</span>
          )}
        </span>
        <span className="flex gap-2 text-soft text-xs leading-4">
          <span className="truncate">
            {isCore(section) ? <CoreLine agent={agent} section={section} otherwise={about} /> : about}
          </span>
          {text !== null && <span className="ml-auto shrink-0 tabular-nums">{sizeOf(text)}</span>}
        </span>
      </span>
    </Link>
  );
}

/** Whoever looks for something, or at someone's copy, goes on doing so. */
function asked(): Record<string, string | undefined> {
  const now = new URLSearchParams(location.search);
  return { user: now.get("user") ?? undefined, find: now.get("find") ?? undefined };
}

/** Whose copy it is, and who may change it. */
function aboutSection({ mutability, amendableBy, scope }: SectionAnswer, user: string | undefined): string {
  if (mutability === "live") return "generated per turn";
  if (mutability === "fixed") return "read-only";
  const whose = scope === "agent" ? "shared" : user === undefined ? "one per user" : `${user}’s own`;
  return `${whose} · editable by ${amendableBy.length === 3 ? "everyone" : amendableBy.join(", ") || "nobody"}`;
}

export function sizeOf(text: string): string {
  const characters = countCharacters(text);
  return characters === 0 ? "empty" : `${shortCount(characters)} chars`;
}

/** A line of the list: a layer's name, or one of its sections. */
export type ListRow =
  | { readonly kind: "layer"; readonly name: string; readonly sections: number }
  | { readonly kind: "section"; readonly section: SectionAnswer };

/** The sections in the charter's order under their layers; of those only what holds the words looked for, anywhere in it. */
export function listRows(sections: readonly SectionAnswer[], lookedFor: string): readonly ListRow[] {
  const wanted = lookedFor.trim().toLowerCase();
  const rows: ListRow[] = [];
  let layer: { kind: "layer"; name: string; sections: number } | undefined;
  for (const section of sections) {
    if (!holds(section, wanted)) continue;
    if (layer?.name !== section.layer) {
      layer = { kind: "layer", name: section.layer, sections: 0 };
      rows.push(layer);
    }
    layer.sections++;
    rows.push({ kind: "section", section });
  }
  return rows;
}

function holds(section: SectionAnswer, wanted: string): boolean {
  if (wanted === "") return true;
  const { name, layer, heading, mutability, text } = section;
  return [name, layer, heading, mutability, text].some((words) => words?.toLowerCase().includes(wanted));
}

/** The next row that is a section, in the direction of a key; where there is none, the one it was at. */
export function nextSection(rows: readonly ListRow[], at: number, key: string): number | undefined {
  const steps: Readonly<Record<string, readonly [from: number, by: 1 | -1]>> = {
    ArrowDown: [at + 1, 1],
    ArrowUp: [at - 1, -1],
    Home: [0, 1],
    End: [rows.length - 1, -1],
  };
  const step = steps[key];
  if (!step) return undefined;
  for (let [index, by] = step; index >= 0 && index < rows.length; index += by)
    if (rows[index]?.kind === "section") return index;
  return at;
}

/** The one row the Tab key stops at: where one was last, or else the first section that is drawn. */
export function tabStop(rows: readonly ListRow[], drawn: readonly number[], last: number): number | undefined {
  return drawn.includes(last) && rows[last]?.kind === "section"
    ? last
    : drawn.find((index) => rows[index]?.kind === "section");
}
