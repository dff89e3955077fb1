import { useState } from "react";
import { encodeName as encoded, sendJson } from "../../api/request.ts";
import { Trouble } from "../../app/page.tsx";
import { useAct } from "../../app/use-act.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Field, Input, Textarea } from "../../kit/field.tsx";
import { DiffView } from "../../kit/text/diff-view.tsx";
import type { Agent } from "./agent-card.tsx";
import { CharterSelect } from "./charter-choice.tsx";
import { settingsIn } from "./settings-text.ts";

type Draft = { readonly charter: string; readonly model: string; readonly settings: string };
/** What was typed; and the settings as they were when someone began to type others. */
type Typed = Partial<Draft> & { readonly began?: string };
type Noticed = { readonly notices?: readonly { readonly code: string; readonly message: string }[] };

/** How an agent is set up: only what was changed is sent, so that nobody's other change is undone. */
export function SetUp({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const { name } = agent;
  const kept: Draft = {
    charter: agent.charter,
    model: agent.model ?? "",
    settings: JSON.stringify(agent.settings, null, 2),
  };
  // Only what someone touched is theirs: the rest is what stands, also when another changes it meanwhile.
  const [draft, setDraft, settled] = useDraft<Typed>(placeOfDraft("set-up", name));
  const [notices, setNotices] = useState<Noticed["notices"]>();
  const { busy, problem, run } = useAct();
  const typed = { ...kept, ...draft };
  const { began = kept.settings } = draft ?? {};
  const overtaken = began !== kept.settings && typed.settings !== kept.settings;
  const parsed = settingsIn(typed.settings);
  const change = {
    ...(typed.charter === kept.charter ? {} : { charter: typed.charter }),
    ...(typed.model === kept.model ? {} : { model: typed.model.trim() === "" ? null : typed.model.trim() }),
    ...(typed.settings === kept.settings ? {} : { settings: parsed.settings, replace: true }),
  };
  const changed = Object.keys(change).length > 0;
  const set = (part: Typed) => setDraft({ ...draft, ...part });
  const save = async () => {
    const answer = await run(() => sendJson<Noticed>(`/agents/${encoded(name)}`, change, { method: "PATCH" }));
    if (answer === undefined) return;
    const all = settled(draft);
    if (answer.notices) setNotices(answer.notices);
    else if (all) onClose();
  };
  return (
    <Dialog open onClose={onClose} title={`Set up “${name}”`} about="Its next prompt is made so.">
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <CharterSelect charter={typed.charter} onCharter={(charter) => set({ charter })} />
        <Field label="Model" hint="As provider/model; empty is the server’s own default.">
          <Input value={typed.model} onChange={({ target }) => set({ model: target.value })} autoComplete="off" />
        </Field>
        <Field label="Settings, as JSON" hint="Originals, limits, a time zone. They are replaced as a whole.">
          <Textarea
            rows={14}
            spellCheck={false}
            className="font-mono"
            aria-invalid={parsed.fault !== undefined}
            value={typed.settings}
            onChange={({ target }) => set({ settings: target.value, began })}
          />
        </Field>
        {parsed.fault && (
          <p role="alert" className="text-bad text-sm">
            {parsed.fault}
          </p>
        )}
        {overtaken && (
          <div role="alert" className="rounded-md border border-wait/50 p-3 text-sm">
            <p>Someone has changed the settings since you began. Yours would replace theirs as a whole, like this:</p>
            <DiffView before={kept.settings} after={typed.settings} max={20} className="mt-1.5 bg-card" />
          </div>
        )}
        {typed.charter !== kept.charter && (
          <p className="text-sm text-wait">
            With another charter it has other sections. Words that were amended stay on record, and stand again where a
            section of that name is amendable.
          </p>
        )}
        {problem && <Trouble problem={problem} />}
        {notices && (
          <div role="status" className="rounded-md bg-raised p-3 text-sm">
            <p>It is set up, and there is something to know:</p>
            <ul className="list-disc pl-5">
              {notices.map(({ code, message }) => (
                <li key={code + message} className="[overflow-wrap:anywhere]">
                  {message}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {draft && changed && (
            <Button kind="quiet" onClick={() => setDraft(undefined)}>
              Undo what was typed
            </Button>
          )}
          <Button type="submit" kind="primary" disabled={!changed || parsed.fault !== undefined || busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
