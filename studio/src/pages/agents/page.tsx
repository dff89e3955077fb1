import type { AgentListAnswer } from "charter/answers";
import { useState } from "react";
import { useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { Answered, Empty, Page } from "../../app/page.tsx";
import { placeOf, useAsked, usePlace } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { Badge } from "../../kit/icon.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { dayText } from "../../kit/words.ts";
import { type Agent, Brake, Duplicate, RemoveAgent } from "./acts.tsx";
import { SettingsForm } from "./settings-form.tsx";

/** One agent's settings, and what can be done with it as a whole. */
export default function SettingsPage() {
  const { agent: name } = usePlace();
  const answer = useApi<AgentListAnswer>(withQuery("/agents", { limit: 1000, removed: "true" }));
  const agent = answer.data?.agents.find((one) => one.name === name);
  if (!agent)
    return (
      <Page title={`Settings of ${name}`}>
        <Answered of={answer}>
          {() => (
            <Empty title={`There is no agent “${name}”`}>
              <TextLink href="/home">See the agents there are.</TextLink>
            </Empty>
          )}
        </Answered>
      </Page>
    );
  return <Settings key={agent.name} agent={agent} />;
}

function Settings({ agent }: { readonly agent: Agent }) {
  const [asked, setAsked] = useAsked();
  const [, go] = useLocation();
  const [busy, setBusy] = useState<"freeze" | "duplicate" | "remove">();
  const { name, label, frozen, removedAt, charter, createdAt, updatedAt, served } = agent;
  const view = asked("view") === "json" ? "json" : "form";
  const close = () => setBusy(undefined);
  if (removedAt !== undefined)
    return (
      <Page title={`Settings of ${label ?? name}`}>
        <Empty title={`“${name}” was removed on ${dayText(removedAt)}`}>
          It takes no turns. Its records and its name are kept.
        </Empty>
      </Page>
    );
  return (
    <Page
      title={`Settings of ${label ?? name}`}
      about={
        <>
          Agent <code>{name}</code>, charter <TextLink href={placeOf(name, "sections")}>{charter}</TextLink>. Created{" "}
          {dayText(createdAt)}, changed {dayText(updatedAt)}.
        </>
      }
      hint="Changes apply from its next turn on."
      actions={
        <>
          <Button onClick={() => setBusy("duplicate")}>Duplicate</Button>
          <Button onClick={() => setBusy("freeze")}>{frozen ? "Unfreeze" : "Freeze"}</Button>
          <Button kind="danger" onClick={() => setBusy("remove")}>
            Remove
          </Button>
        </>
      }
    >
      {frozen && (
        <p className="mb-3">
          <Badge tone="wait">{frozen === "agent" ? "frozen" : "amendments frozen"}</Badge>
        </p>
      )}
      {served === false && (
        <p className="mb-3 rounded-md bg-raised px-2.5 py-1.5 text-sm">
          It takes its turns in a directory, at a terminal:{" "}
          <code className="[overflow-wrap:anywhere]">charter chat --agent {name}</code>
        </p>
      )}
      <div className="max-w-4xl">
        <SettingsForm
          agent={agent}
          view={view}
          onView={(next) => setAsked({ view: next === "json" ? "json" : undefined })}
        />
      </div>
      {busy === "freeze" && <Brake agent={agent} onClose={close} />}
      {busy === "duplicate" && <Duplicate agent={agent} onClose={close} />}
      {busy === "remove" && <RemoveAgent agent={agent} onClose={close} onRemoved={() => go("/home")} />}
    </Page>
  );
}
