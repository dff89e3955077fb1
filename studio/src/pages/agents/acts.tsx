import type { AgentListAnswer, SectionListAnswer } from "charter/answers";
import { useState } from "react";
import { useLocation } from "wouter";
import { type ApiProblem, encodeName, getJson, request, sendJson, withQuery } from "../../api/request.ts";
import { FormDialog, useAct } from "../../app/form-dialog.tsx";
import { placeOf } from "../../app/place.ts";
import { Field, Input, Options } from "../../kit/field.tsx";
import { copyName, nameFault, useTakenNames } from "./new-agent.tsx";
import { setupOf, withValue } from "./setup.ts";

type What = "amendments" | "agent";

const brakes: readonly [what: What, title: string, says: string][] = [
  [
    "amendments",
    "Its texts",
    "Nobody can change its texts any more, you included. It goes on answering with the texts it has now.",
  ],
  [
    "agent",
    "The whole agent",
    "It takes no turns: users are told so, schedules fail, and a running turn ends before its next step. Its texts cannot be changed either.",
  ],
];

/** The operator's brake, and its release: it holds from the next moment on, in every process on this database. */
export function Brake({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const { name, frozen } = agent;
  const [what, setWhat] = useState<What>("amendments");
  const act = useAct();
  const does = frozen ? "Unfreeze" : "Freeze";
  const decide = async () => {
    const path = `/agents/${encodeName(name)}/${frozen ? "thaw" : "freeze"}`;
    if (await act.run(() => sendJson(path, frozen ? {} : { what }))) onClose();
  };
  const released =
    frozen === "agent"
      ? `“${name}” takes turns again, and its texts can be changed again.`
      : `The texts of “${name}” can be changed again.`;
  return (
    <FormDialog
      {...{ open: true, onClose, act }}
      title={`${does} “${name}”`}
      about={frozen ? released : "Takes effect at once, until someone unfreezes it. Nothing is lost."}
      {...{ does }}
      ready
      onSubmit={decide}
    >
      {!frozen && <Options label="What to freeze" name="what" of={brakes} chosen={what} onChoose={setWhat} />}
    </FormDialog>
  );
}

type Texts = "originals" | "current";

const choices: readonly (readonly [texts: Texts, title: string, says: string])[] = [
  ["originals", "Original texts", "Its sections begin as the settings say. What was edited since is left behind."],
  ["current", "Current texts", "The edited sections are copied as they are now, each as the copy’s first revision."],
];

/** Another agent like it: charter, models and settings; its texts as chosen. */
export function Duplicate({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const [, go] = useLocation();
  const taken = useTakenNames();
  const [typed, setTyped] = useState<string>();
  const [texts, setTexts] = useState<Texts>("originals");
  const [left, setLeft] = useState<readonly string[]>();
  const name = typed ?? copyName(agent.name, taken);
  const fault = left ? undefined : nameFault(name, taken);
  const act = useAct();
  const copy = async () => {
    if (left) return go(placeOf(name, "settings"));
    const { charter, models, settings } = setupOf(agent);
    // Two agents with one core memory would write over each other.
    const own = withValue(settings, ["memory"], undefined);
    const body = { name, charter, settings: own, ...(models.length === 0 ? {} : { model: models }) };
    const uncopied = await act.run(async () => {
      await sendJson("/agents", body);
      return texts === "current" ? copyTexts(agent.name, name) : [];
    });
    if (uncopied === undefined) return;
    if (uncopied.length === 0) go(placeOf(name, "settings"));
    else setLeft(uncopied);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={`Duplicate “${agent.name}”`}
      about="Copies its charter, models and settings. Users, conversations, memories, schedules and tokens are not copied."
      act={act}
      does={left ? "Open the copy" : "Duplicate"}
      ready={name !== "" && fault === undefined}
      onSubmit={copy}
    >
      <Field label="Name of the copy">
        <Input
          required
          dir="auto"
          maxLength={200}
          disabled={left !== undefined}
          aria-invalid={fault !== undefined}
          autoComplete="off"
          value={name}
          onChange={({ target }) => setTyped(target.value)}
        />
      </Field>
      {fault && (
        <p role="alert" className="text-bad text-sm [overflow-wrap:anywhere]">
          {fault}
        </p>
      )}
      <Options
        label="Texts"
        name="texts"
        of={choices}
        chosen={texts}
        onChoose={setTexts}
        disabled={left !== undefined}
      />
      {Object.hasOwn(agent.settings, "memory") && (
        <p className="text-sm text-wait">Its core memory is not copied. Set another one in the copy’s settings.</p>
      )}
      {left && (
        <div role="alert" className="text-sm [overflow-wrap:anywhere]">
          <p>“{name}” was created. These texts could not be copied:</p>
          <ul className="list-disc pl-5">
            {left.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}

/** Proposes each edited text of the agent itself to the copy; what did not pass is told. */
async function copyTexts(from: string, to: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (let offset = 0, more = true; more; ) {
    const path = withQuery(`/agents/${encodeName(from)}/sections`, { limit: 1000, offset });
    const answer = await getJson<SectionListAnswer>(path);
    for (const { name, scope, revision, text } of answer.sections) {
      if (scope !== "agent" || (revision ?? 0) === 0 || name === "core") continue;
      const operation = { kind: "rewrite", content: text ?? "" };
      const proposal = { section: name, operation, reason: `Copied from “${from}”, revision ${revision}.` };
      try {
        const { verdict } = await sendJson<{ verdict: string }>(`/agents/${encodeName(to)}/proposals`, proposal);
        if (verdict === "held") left.push(`“${name}” waits for approval.`);
      } catch (error) {
        left.push(`“${name}”: ${(error as ApiProblem).message}`);
      }
    }
    offset += answer.sections.length;
    more = answer.more && answer.sections.length > 0;
  }
  return left;
}

/** Its name is typed before it goes: one does not come here by a slip. */
export function RemoveAgent({
  agent: { name },
  onClose,
  onRemoved,
}: {
  readonly agent: Agent;
  readonly onClose: () => void;
  readonly onRemoved?: () => void;
}) {
  const [typed, setTyped] = useState("");
  const act = useAct();
  const remove = async () => {
    const gone = await act.run(() => request(`/agents/${encodeName(name)}`, { method: "DELETE" }));
    if (!gone) return;
    onClose();
    onRemoved?.();
  };
  return (
    <FormDialog
      {...{ open: true, onClose, act }}
      title={`Remove “${name}”?`}
      about="This page cannot bring it back."
      does="Remove agent"
      kind="danger"
      ready={typed === name}
      onSubmit={remove}
    >
      <ul className="list-disc space-y-1 pl-5 text-sm">
        <li>
          It takes no turns any more. Its schedules end, what waits for a person is rejected, and its tokens are
          revoked.
        </li>
        <li>Its turns, conversations, memories and texts are kept, and so is its name.</li>
        <li>
          Where the server runs, <code className="[overflow-wrap:anywhere]">charter agents remove {name}</code> saves
          everything to a file first, and can erase it.
        </li>
      </ul>
      <Field label={`Type “${name}” to confirm`}>
        <Input dir="auto" autoComplete="off" value={typed} onChange={({ target }) => setTyped(target.value)} />
      </Field>
    </FormDialog>
  );
}

/** An agent as an operator is told of it. */
export type Agent = AgentListAnswer["agents"][number];
