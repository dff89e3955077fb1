import type { AgentAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import { Card, Trouble } from "../../app/page.tsx";
import { placeOf } from "../../app/place.ts";
import { Button, Choices, Field, Input, Textarea } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import type { Agent } from "./acts.tsx";
import { ModelsField } from "./models.tsx";
import { CharterSelect, useCharters } from "./new-agent.tsx";
import { FieldControl, type FieldGroup, fieldsFor, problemField, type SettingField } from "./setting-field.tsx";
import { type Conflict, type Path, useSetup } from "./setup.ts";

const titles: Readonly<Record<FieldGroup, string>> = {
  words: "Identity and original texts",
  limits: "Limits",
  memory: "Memory and sessions",
  other: "Other",
};
const groups = Object.keys(titles) as readonly FieldGroup[];

/** The settings in fields, and the same as JSON. */
export function SettingsForm({
  agent,
  view,
  onView,
}: {
  readonly agent: Agent;
  readonly view: "form" | "json";
  readonly onView: (view: "form" | "json") => void;
}) {
  const setup = useSetup(agent);
  const { typed, text, fault, conflicts, change, problem, notices, busy, set } = setup;
  const revisions = useRevisions(agent.name);
  const { charters } = useCharters(typed.charter);
  const fields = fieldsFor(charters.find(({ name }) => name === typed.charter)?.reads);
  const error = problem?.error;
  const at = error && problemField(error, fields);
  const faultAt = (place: string) => (at === place ? error : undefined);
  const placed = at !== undefined && (view === "form" || ["label", "models", "charter"].includes(at));
  return (
    <form
      aria-label="Settings"
      className="grid min-w-0 gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void setup.save();
      }}
    >
      <Card className="grid gap-3">
        <Field label="Label" hint="Shown in place of the name, which never changes. Empty: the name is shown.">
          <Input
            dir="auto"
            maxLength={200}
            aria-invalid={at === "label"}
            value={typed.label}
            placeholder={agent.name}
            autoComplete="off"
            onChange={({ target }) => set({ label: target.value })}
          />
        </Field>
        <Said error={faultAt("label")} />
        <CharterSelect charter={typed.charter} onCharter={(charter) => set({ charter })} />
        <Said error={faultAt("charter")} />
        {typed.charter !== agent.charter && (
          <p className="text-sm text-wait">
            With another charter it has other sections. Edited texts stay on record, and count again where a section of
            that name can be edited.
          </p>
        )}
      </Card>
      <Card>
        <h2 className="mb-2 font-semibold">Models</h2>
        <ModelsField models={typed.models} onModels={(models) => set({ models })} fault={faultAt("models")} />
      </Card>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Choices
          label="Settings as"
          of={[
            ["form", "Form"],
            ["json", "JSON"],
          ]}
          chosen={view}
          onChoose={onView}
        />
        <p className="text-soft text-xs">Both show the same settings.</p>
      </div>
      {view === "json" ? (
        <Card>
          <Field label="Settings, as JSON" hint="All of them, those without a field as well.">
            <Textarea
              rows={Math.min(30, Math.max(10, text.split("\n").length + 1))}
              spellCheck={false}
              className="font-mono"
              aria-invalid={fault !== undefined}
              value={text}
              onChange={({ target }) => setup.setText(target.value)}
            />
          </Field>
        </Card>
      ) : (
        groups.map((group) => {
          const own = fields.filter((field) => field.group === group);
          if (own.length === 0) return null;
          return (
            <Card key={group}>
              <fieldset disabled={fault !== undefined} className="grid gap-3">
                <legend className="mb-2 font-semibold">{titles[group]}</legend>
                {own.map((field) => (
                  <FieldControl
                    key={field.path.join(".")}
                    field={field}
                    settings={typed.settings}
                    onSettings={(settings) => set({ settings })}
                    fault={faultAt(field.path.join("."))}
                  >
                    <Edited agent={agent.name} field={field} revisions={revisions} />
                  </FieldControl>
                ))}
              </fieldset>
            </Card>
          );
        })
      )}
      {fault && (
        <p role="alert" className="text-bad text-sm">
          {fault}
          {view === "form" && " Correct it as JSON first."}
        </p>
      )}
      <TakenOver paths={setup.taken} />
      <Conflicts conflicts={conflicts} onDecide={setup.decide} />
      {problem && !placed && <Trouble problem={problem} />}
      {notices && change === undefined && (
        <div role="status" className="rounded-md bg-raised p-3 text-sm">
          <p>Saved.</p>
          {notices.length > 0 && (
            <ul className="list-disc pl-5">
              {notices.map(({ code, message }) => (
                <li key={code + message} className="[overflow-wrap:anywhere]">
                  {message}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      <div className="sticky bottom-0 -mx-1 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-paper px-1 py-2">
        {placed && <span className="mr-auto text-bad text-sm">Not saved: see the field above.</span>}
        {(change || fault !== undefined) && (
          <Button kind="quiet" onClick={setup.undo}>
            Discard changes
          </Button>
        )}
        <Button type="submit" kind="primary" disabled={!change || fault !== undefined || conflicts.length > 0 || busy}>
          Save
        </Button>
      </div>
    </form>
  );
}

function Said({ error }: { readonly error: { readonly message: string; readonly hint: string } | undefined }) {
  if (!error) return null;
  return (
    <p role="alert" className="text-sm [overflow-wrap:anywhere]">
      <span className="text-bad">{error.message}</span> <span className="text-soft">{error.hint}</span>
    </p>
  );
}

function useRevisions(agent: string): ReadonlyMap<string, number> {
  const { data } = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`);
  return new Map(data?.sections.map(({ section, revision }) => [section, revision]));
}

/** An original is not what the model reads once its section was edited. */
function Edited({
  agent,
  field: { section },
  revisions,
}: {
  readonly agent: string;
  readonly field: SettingField;
  readonly revisions: ReadonlyMap<string, number>;
}) {
  const revision = section === undefined ? 0 : (revisions.get(section) ?? 0);
  if (section === undefined || revision === 0) return null;
  return (
    <span className="mt-0.5 block text-wait text-xs">
      This is the original. The section was edited since (revision {revision}):{" "}
      <TextLink href={placeOf(agent, "sections", section)}>see its current text</TextLink>.
    </span>
  );
}

const nameOf = (path: Path) => (path[0] === "settings" && path.length > 1 ? path.slice(1) : path).join(".");

/** What others have changed while this was being typed, and what was not typed here. */
function TakenOver({ paths }: { readonly paths: readonly Path[] }) {
  if (paths.length === 0) return null;
  return (
    <p role="status" className="rounded-md bg-raised p-3 text-sm [overflow-wrap:anywhere]">
      Someone else has changed {paths.map(nameOf).join(", ")} meanwhile. Their change is in the form; yours is kept.
    </p>
  );
}

/** Settings that two have changed: one of the two is chosen before anything is saved. */
export function Conflicts({
  conflicts,
  onDecide,
}: {
  readonly conflicts: readonly Conflict[];
  readonly onDecide: (conflict: Conflict, whose: "mine" | "theirs") => void;
}) {
  if (conflicts.length === 0) return null;
  return (
    <div role="alert" className="rounded-md border border-wait/50 bg-card p-3 text-sm">
      <p>Someone else has changed the same settings since you began. Choose which of them to keep.</p>
      <ul className="mt-2 space-y-3">
        {conflicts.map((conflict) => {
          const name = nameOf(conflict.path);
          return (
            <li key={name} className="grid gap-1">
              <code className="font-medium [overflow-wrap:anywhere]">{name}</code>
              <div className="grid gap-2 sm:grid-cols-2">
                {(["mine", "theirs"] as const).map((whose) => (
                  <div key={whose} className="min-w-0 rounded border border-line p-2">
                    <p className="text-soft text-xs">{whose === "mine" ? "Yours" : "Theirs"}</p>
                    <p
                      dir="auto"
                      className="line-clamp-6 whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]"
                    >
                      {said(conflict[whose])}
                    </p>
                    <Button className="mt-1" onClick={() => onDecide(conflict, whose)}>
                      {whose === "mine" ? "Keep mine" : "Take theirs"}
                    </Button>
                  </div>
                ))}
              </div>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function said(value: unknown): string {
  if (value === undefined) return "(not set)";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
