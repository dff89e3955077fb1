import { memo, useId } from "react";
import { encodeName, sendJson, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { UserChoice } from "../../app/user-choice.tsx";
import { cronWords } from "../../kit/cron.ts";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Choices, Field, Input, Select, Textarea } from "../../kit/field.tsx";
import { clockWords, cronTimes } from "./times.ts";

const ways = [
  ["again", "Recurring"],
  ["once", "Once"],
] as const;

export function NewSchedule({
  agent,
  user,
  open,
  onClose,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const [kept, setDraft, settled] = useDraft<Draft>(placeOfDraft("schedule", agent, user ?? null));
  const draft = kept ?? { ...blank, user: user ?? "" };
  const act = useAct();
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const save = async () => {
    const made = await act.run(() => sendJson(withQuery(`/agents/${encodeName(agent)}/schedules`), bodyOf(draft)));
    if (made === undefined) return;
    if (settled(kept)) onClose();
  };
  const ready = draft.title.trim() !== "" && draft.input.trim() !== "" && (draft.once ? draft.at : draft.cron) !== "";
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="New schedule"
      about="The reply is sent to the user’s linked chats and kept with the run."
      act={act}
      does="Create schedule"
      ready={ready}
      onSubmit={save}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Title">
          <Input
            required
            dir="auto"
            maxLength={200}
            placeholder="Morning digest"
            value={draft.title}
            onChange={({ target }) => set({ title: target.value })}
          />
        </Field>
        <UserChoice
          agent={agent}
          user={draft.user === "" ? undefined : draft.user}
          onUser={(chosen) => set({ user: chosen ?? "" })}
          label="User"
          nobody="the agent itself"
        />
      </div>
      <Field label="Message to the agent">
        <Textarea
          required
          rows={3}
          dir="auto"
          placeholder="Summarise my new mail."
          value={draft.input}
          onChange={({ target }) => set({ input: target.value })}
        />
      </Field>
      <Choices
        label="How often"
        of={ways}
        chosen={draft.once ? "once" : "again"}
        onChoose={(way) => set({ once: way === "once" })}
      />
      <When draft={draft} onChange={set} />
      <details>
        <summary className="text-sm text-soft">If a run is missed or fails</summary>
        <div className="mt-2 grid gap-3 sm:grid-cols-3">
          <Field label="Missed runs">
            <Select value={draft.missed} onChange={({ target }) => set({ missed: target.value as Draft["missed"] })}>
              <option value="once">run once afterwards</option>
              <option value="skip">skip</option>
            </Select>
          </Field>
          <Field label="If the previous run is still going">
            <Select value={draft.overlap} onChange={({ target }) => set({ overlap: target.value as Draft["overlap"] })}>
              <option value="skip">skip</option>
              <option value="queue">wait for it</option>
            </Select>
          </Field>
          <Field label="Maximum tries">
            <Input
              type="number"
              min={1}
              max={10}
              value={draft.maxTries}
              onChange={({ target }) => set({ maxTries: target.value })}
            />
          </Field>
        </div>
      </details>
    </FormDialog>
  );
}

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

/** A schedule as it is filled in: every field is text, as fields of a form are. */
export type Draft = {
  readonly title: string;
  readonly user: string;
  readonly input: string;
  readonly once: boolean;
  readonly cron: string;
  /** A local time, as the zone's clock has it. */
  readonly at: string;
  readonly zone: string;
  readonly missed: "once" | "skip";
  readonly overlap: "skip" | "queue";
  readonly maxTries: string;
};

export const blank: Draft = {
  title: "",
  user: "",
  input: "",
  once: false,
  cron: "0 8 * * 1-5",
  at: "",
  zone: "",
  missed: "once",
  overlap: "skip",
  maxTries: "3",
};

/** What the server is asked for: what was left empty is left out. */
export function bodyOf({ once, cron, at, user, zone, maxTries, ...rest }: Draft): Readonly<Record<string, unknown>> {
  return {
    ...rest,
    ...(once ? { at } : { cron: cron.trim() }),
    ...(user === "" ? {} : { user }),
    ...(zone.trim() === "" ? {} : { zone: zone.trim() }),
    ...(maxTries === "" ? {} : { maxTries: Number(maxTries) }),
  };
}
