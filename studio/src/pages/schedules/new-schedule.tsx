import { encodeName, sendJson, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { UserChoice } from "../../app/user-choice.tsx";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Choices, Field, Input, Select, Textarea } from "../../kit/field.tsx";
import { blank, bodyOf, type Draft } from "./schedule-draft.ts";
import { When } from "./when.tsx";

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
