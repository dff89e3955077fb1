import { encodeName, sendJson, withQuery } from "../../api/request.ts";
import { FormDialog } from "../../app/form-dialog.tsx";
import { useAct } from "../../app/use-act.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Choices } from "../../kit/choices.tsx";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Field, Input, Select, Textarea } from "../../kit/field.tsx";
import { blank, bodyOf, type Draft } from "./schedule-draft.ts";
import { When } from "./when.tsx";

const ways = [
  ["again", "Again and again"],
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
      about="What it answers goes to the user’s linked chats, and stands in the runs."
      act={act}
      does="Make the schedule"
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
          label="For whom"
          nobody="the agent itself"
        />
      </div>
      <Field label="What it is asked then">
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
        <summary className="text-sm text-soft">When something goes wrong</summary>
        <div className="mt-2 grid gap-3 sm:grid-cols-3">
          <Field label="What was missed">
            <Select value={draft.missed} onChange={({ target }) => set({ missed: target.value as Draft["missed"] })}>
              <option value="once">is made up for, once</option>
              <option value="skip">is left out</option>
            </Select>
          </Field>
          <Field label="While the last still runs">
            <Select value={draft.overlap} onChange={({ target }) => set({ overlap: target.value as Draft["overlap"] })}>
              <option value="skip">leave it out</option>
              <option value="queue">let it wait</option>
            </Select>
          </Field>
          <Field label="Tries at most">
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
