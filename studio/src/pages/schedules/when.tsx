import { memo, useId } from "react";
import { cronWords } from "../../kit/cron.ts";
import { Field, Input } from "../../kit/field.tsx";
import { clockWords } from "./clock-words.ts";
import { cronTimes } from "./cron-times.ts";
import type { Draft } from "./schedule-draft.ts";

const usual = ["0 8 * * *", "0 8 * * 1-5", "0 9 * * 1", "0 * * * *", "0 9 1 * *"];
const yearMs = 366 * 86_400_000;

/** When it comes: a cron line, read back in words with its next times, or a moment; and by whose clock. */
export function When({
  draft,
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}) {
  const zones = useId();
  const zone = (
    <Field label="Time zone" hint="Empty: the user’s own time zone, also when it changes.">
      <Input
        list={zones}
        placeholder="the user’s"
        value={draft.zone}
        onChange={({ target }) => onChange({ zone: target.value })}
        autoComplete="off"
      />
      <Zones id={zones} />
    </Field>
  );
  if (draft.once)
    return (
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="When" hint="In that time zone.">
          <Input type="datetime-local" value={draft.at} onChange={({ target }) => onChange({ at: target.value })} />
        </Field>
        {zone}
      </div>
    );
  return (
    <div className="space-y-2">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Cron line" hint="Minute, hour, day of the month, month, day of the week.">
          <Input
            className="font-mono"
            value={draft.cron}
            onChange={({ target }) => onChange({ cron: target.value })}
            autoComplete="off"
          />
        </Field>
        {zone}
      </div>
      <div className="flex flex-wrap gap-1.5">
        {usual.map((cron) => (
          <button
            key={cron}
            type="button"
            onClick={() => onChange({ cron })}
            className="rounded-full border border-line bg-card px-2.5 py-0.5 text-xs hover:bg-raised"
          >
            {cronWords(cron)}
          </button>
        ))}
      </div>
      <Spoken cron={draft.cron} zone={draft.zone.trim()} />
    </div>
  );
}

/** There are hundreds: they are made once, not at every key. */
const Zones = memo(({ id }: { readonly id: string }) => (
  <datalist id={id}>
    {Intl.supportedValuesOf("timeZone").map((one) => (
      <option key={one} value={one} />
    ))}
  </datalist>
));

function Spoken({ cron, zone }: { readonly cron: string; readonly zone: string }) {
  const now = Date.now();
  const by = zone === "" ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone;
  const times = cronTimes({ cron, zone: by, from: now, to: now + yearMs, max: 3 });
  if (cron.trim() === "") return null;
  return (
    <p role="status" className="text-sm [overflow-wrap:anywhere]">
      {cronWords(cron)}
      {times && times.length > 0 && (
        <span className="text-soft">
          {zone === "" ? " · by your own clock next " : " · next "}
          {times.map((time) => clockWords(time, by)).join("; ")}
        </span>
      )}
    </p>
  );
}
