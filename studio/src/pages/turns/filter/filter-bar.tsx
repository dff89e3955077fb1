import { useEffect, useRef } from "react";
import { UserChoice } from "../../../app/user-choice.tsx";
import { Button, Field, Input, Select, useTyped } from "../../../kit/field.tsx";
import { Chips } from "./chips.tsx";
import { MoreFilters } from "./more-filters.tsx";
import type { Stretch } from "./span.ts";
import { isNarrow, type Sort, type State, states, type TurnEvent, type TurnFilter } from "./turn-filter.ts";
import type { SetFilter } from "./use-filter.ts";

export const eventNames: Readonly<Record<TurnEvent, string>> = {
  failed: "Failed",
  amended: "Amended",
  refused: "Refused",
  held: "Needed approval",
  "cache-miss": "Cache miss",
  tool: "Tool",
};

const sortNames: Readonly<Record<Sort, string>> = {
  newest: "Newest first",
  oldest: "Oldest first",
  cost: "Highest cost first",
  duration: "Longest first",
};

const days: readonly (readonly [Stretch, string])[] = [
  ["today", "Today"],
  ["yesterday", "Yesterday"],
  ["week", "7 days"],
];

/** What the list is narrowed to. Whatever is chosen here stands in the address. */
export function FilterBar(props: {
  readonly agent: string;
  readonly filter: TurnFilter;
  readonly setFilter: SetFilter;
  /** Offered for the channel and the model; any other may be typed. */
  readonly channels: readonly string[];
  readonly models: readonly string[];
  readonly sorts: readonly Sort[];
}) {
  const { agent, filter, setFilter, channels, models, sorts } = props;
  const [words, typeWords] = useTyped(filter.words ?? "", (next) => setFilter({ words: next }, { replace: true }));
  const search = useSlash();
  return (
    <search className="mb-3 block space-y-2" aria-label="Filter">
      <div className="grid grid-cols-2 gap-2 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_10rem_11rem]">
        <Field label="Words in input or reply" className="col-span-2 lg:col-span-1">
          <Input
            ref={search}
            type="search"
            dir="auto"
            autoComplete="off"
            aria-keyshortcuts="/"
            placeholder="Press / to search"
            value={words}
            onChange={({ target }) => typeWords(target.value)}
          />
        </Field>
        <UserChoice
          agent={agent}
          user={filter.user}
          nobody="all users"
          className="col-span-2 sm:col-span-1"
          onUser={(user) => setFilter({ user })}
        />
        <Field label="State">
          <Select
            value={filter.state ?? ""}
            onChange={({ target }) => setFilter({ state: (target.value || undefined) as State | undefined })}
          >
            <option value="">All</option>
            {states.map((state) => (
              <option key={state} value={state}>
                {state}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Sort">
          <Select
            value={filter.sort !== undefined && sorts.includes(filter.sort) ? filter.sort : "newest"}
            onChange={({ target }) => {
              const sort = target.value as Sort;
              setFilter({ sort: sort === "newest" ? undefined : sort });
            }}
          >
            {sorts.map((sort) => (
              <option key={sort} value={sort}>
                {sortNames[sort]}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <Chips
          label="When"
          of={days}
          chosen={filter.when}
          onChoose={(when) => setFilter({ when, since: undefined, until: undefined })}
        />
        <Chips
          label="Event"
          of={Object.entries(eventNames) as [TurnEvent, string][]}
          chosen={filter.event}
          onChoose={(event) => setFilter({ event })}
        />
        {isNarrow(filter) && (
          <Button kind="quiet" onClick={() => setFilter({ ...nothing, session: filter.session, sort: filter.sort })}>
            Clear filters
          </Button>
        )}
      </div>
      <MoreFilters filter={filter} setFilter={setFilter} channels={channels} models={models} />
    </search>
  );
}

const nothing: Partial<TurnFilter> = {
  words: undefined,
  user: undefined,
  channel: undefined,
  model: undefined,
  state: undefined,
  event: undefined,
  when: undefined,
  since: undefined,
  until: undefined,
  minCost: undefined,
  maxCost: undefined,
};

/** “/” leads to the search, unless one is typing already. */
function useSlash() {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const typing = (event.target as Element).closest("input, textarea, select, [contenteditable], [role=dialog]");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return search;
}
