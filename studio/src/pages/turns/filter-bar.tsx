import { type ComponentProps, useEffect, useId, useMemo, useRef, useState } from "react";
import { useAsked } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Button, Field, Input, Select, useTyped } from "../../kit/field.tsx";
import { useNow } from "../../kit/window.ts";
import { plural } from "../../kit/words.ts";
import {
  askedBy,
  cleared,
  filterIn,
  isNarrow,
  queryOf,
  type Sort,
  type State,
  type Stretch,
  states,
  type TurnEvent,
  type TurnFilter,
  type Unread,
} from "./turn-filter.ts";

type SetFilter = (change: Partial<TurnFilter>, how?: { readonly replace?: boolean }) => void;

/** A filter, and what the server is asked for it. */
export type Filtered = { readonly filter: TurnFilter; readonly query: ReturnType<typeof queryOf> };

/** The filter that stands in the address, what of it cannot be read, and how to change it. */
export function useFilter(): Filtered & { readonly unread: readonly Unread[]; readonly setFilter: SetFilter } {
  const [asked, setAsked] = useAsked();
  const { filter, unread } = filterIn(asked);
  const now = useNow(60_000);
  const written = JSON.stringify(filter);
  const query = useMemo(() => queryOf(JSON.parse(written) as TurnFilter, new Date(now)), [written, now]);
  const setFilter: SetFilter = (change, { replace = false } = {}) =>
    // Another filter is another list: one begins at its top.
    setAsked({ ...askedBy({ ...filter, ...change }), from: undefined, open: undefined }, { replace });
  return { filter, unread, query, setFilter };
}

const eventNames: Readonly<Record<TurnEvent, string>> = {
  failed: "Failed",
  amended: "Amended",
  refused: "Refused",
  held: "Needed approval",
  "cache-miss": "Cache miss",
  "nothing-cached": "Nothing read from the cache",
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
          <Button kind="quiet" onClick={() => setFilter(cleared(filter))}>
            Clear filters
          </Button>
        )}
      </div>
      <MoreFilters filter={filter} setFilter={setFilter} channels={channels} models={models} />
    </search>
  );
}

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

/** One of a few, side by side, or none: the chosen one is pressed, and pressing it again takes it back. */
function Chips<Value extends string>({
  label,
  of,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly of: readonly (readonly [value: Value, words: string])[];
  readonly chosen: Value | undefined;
  readonly onChoose: (value: Value | undefined) => void;
}) {
  return (
    <fieldset className="flex flex-wrap items-center gap-1">
      <legend className="float-left mr-1.5 py-1 text-soft text-xs">{label}</legend>
      {of.map(([value, words]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value === chosen ? undefined : value)}
          className={`min-h-8 rounded-full border px-2.5 text-sm ${value === chosen ? "border-accent bg-raised font-medium" : "border-line bg-card text-soft hover:text-ink"}`}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}

/** What is asked for less often: folded, unless some of it is in use. */
function MoreFilters(props: {
  readonly filter: TurnFilter;
  readonly setFilter: SetFilter;
  readonly channels: readonly string[];
  readonly models: readonly string[];
}) {
  const { filter, setFilter, channels, models } = props;
  const { channel, model, since, until, minCost, maxCost } = filter;
  const used = [channel, model, since, until, minCost, maxCost].filter((value) => value !== undefined).length;
  const [open, setOpen] = useState(false);
  const day = (part: "since" | "until", label: string) => (
    <Field label={label}>
      <Input
        type="date"
        value={filter[part] ?? ""}
        onChange={({ target }) => setFilter({ [part]: target.value || undefined, when: undefined })}
      />
    </Field>
  );
  const cost = (part: "minCost" | "maxCost", label: string) => (
    <Typed
      type="number"
      label={label}
      placeholder="any"
      value={filter[part]}
      onValue={(value = "") => {
        const wanted = Number(value);
        const isNone = value === "" || !Number.isFinite(wanted) || wanted < 0;
        setFilter({ [part]: isNone ? undefined : wanted }, { replace: true });
      }}
    />
  );
  return (
    <details open={open || used > 0} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit text-accent text-sm underline decoration-accent/40 underline-offset-2">
        More filters: channel, model, dates, cost
      </summary>
      <div className="mt-2 grid grid-cols-2 gap-2 sm:grid-cols-3 xl:grid-cols-6">
        <Typed
          label="Channel"
          placeholder="all channels"
          value={channel}
          offered={channels}
          onValue={(value) => setFilter({ channel: value }, { replace: true })}
        />
        <Typed
          label="Model"
          placeholder="all models"
          value={model}
          offered={models}
          onValue={(value) => setFilter({ model: value }, { replace: true })}
        />
        {day("since", "From")}
        {day("until", "To")}
        {cost("minCost", "Cost from, in dollars")}
        {cost("maxCost", "Cost to, in dollars")}
      </div>
    </details>
  );
}

type TypedProps = Pick<ComponentProps<"input">, "placeholder" | "type"> & {
  readonly label: string;
  readonly value: string | number | undefined;
  /** What may be meant; anything else can be typed as well. */
  readonly offered?: readonly string[];
  readonly onValue: (value: string | undefined) => void;
};

/** A value that counts once one has stopped typing. */
function Typed({ label, value, offered = [], onValue, ...rest }: TypedProps) {
  const list = useId();
  const [typed, type] = useTyped(String(value ?? ""), (next) => onValue(next || undefined), 400);
  return (
    <Field label={label}>
      <Input
        {...rest}
        {...(rest.type === "number" ? { min: 0, step: "any" } : { list, dir: "auto" })}
        autoComplete="off"
        value={typed}
        onChange={({ target }) => type(target.value)}
      />
      <datalist id={list}>
        {offered.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </Field>
  );
}

/** What of an address filters nothing, because it cannot be read. */
export function UnreadNote({ unread }: { readonly unread: readonly Unread[] }) {
  if (unread.length === 0) return null;
  return (
    <div role="alert" className="mb-3 rounded-lg border border-wait/50 bg-card p-3 text-sm">
      <p>
        {plural(unread.length, "filter")} in this address cannot be read and {unread.length === 1 ? "is" : "are"} not
        applied:
      </p>
      <ul>
        {unread.map(({ key, value, reason }) => (
          <li key={key} className="[overflow-wrap:anywhere]">
            <code>{key}</code> is “<bdi>{value.slice(0, 200)}</bdi>”: it {reason}.
          </li>
        ))}
      </ul>
    </div>
  );
}
