import { useId, useState } from "react";
import { Field, Input, useTyped } from "../../../kit/field.tsx";
import type { TurnFilter } from "./turn-filter.ts";
import type { SetFilter } from "./use-filter.ts";

/** What is asked for less often: folded, unless some of it is in use. */
export function MoreFilters(props: {
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
  return (
    <details open={open || used > 0} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit text-accent text-sm underline decoration-accent/40 underline-offset-2">
        More filters: channel, model, dates, cost
      </summary>
      <div className="mt-2 grid grid-cols-2 gap-2 sm:grid-cols-3 xl:grid-cols-6">
        <Named
          label="Channel"
          all="all channels"
          value={channel}
          offered={channels}
          onValue={(value) => setFilter({ channel: value }, { replace: true })}
        />
        <Named
          label="Model"
          all="all models"
          value={model}
          offered={models}
          onValue={(value) => setFilter({ model: value }, { replace: true })}
        />
        {day("since", "From")}
        {day("until", "To")}
        <Dollars
          label="Cost from, in dollars"
          value={minCost}
          onValue={(value) => setFilter({ minCost: value }, { replace: true })}
        />
        <Dollars
          label="Cost to, in dollars"
          value={maxCost}
          onValue={(value) => setFilter({ maxCost: value }, { replace: true })}
        />
      </div>
    </details>
  );
}

function Named(props: {
  readonly label: string;
  readonly all: string;
  readonly value: string | undefined;
  readonly offered: readonly string[];
  readonly onValue: (value: string | undefined) => void;
}) {
  const { label, all, value, offered, onValue } = props;
  const list = useId();
  const [typed, type] = useTyped(value ?? "", (next) => onValue(next || undefined), 400);
  return (
    <Field label={label}>
      <Input
        list={list}
        dir="auto"
        autoComplete="off"
        placeholder={all}
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

function Dollars(props: {
  readonly label: string;
  readonly value: number | undefined;
  readonly onValue: (value: number | undefined) => void;
}) {
  const { label, value, onValue } = props;
  const [typed, type] = useTyped(
    value === undefined ? "" : String(value),
    (next) => {
      const wanted = Number(next);
      onValue(next === "" || !Number.isFinite(wanted) || wanted < 0 ? undefined : wanted);
    },
    400,
  );
  return (
    <Field label={label}>
      <Input
        type="number"
        min={0}
        step="any"
        placeholder="any"
        value={typed}
        onChange={({ target }) => type(target.value)}
      />
    </Field>
  );
}
