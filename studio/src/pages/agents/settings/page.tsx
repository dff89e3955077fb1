import type { AgentListAnswer } from "charter/answers";
import { useState } from "react";
import { useLocation } from "wouter";
import { useApi } from "../../../api/query-client.ts";
import { withQuery } from "../../../api/request.ts";
import { Card, Empty, Loading, Page, Trouble } from "../../../app/page.tsx";
import { useAsked, usePlace } from "../../../app/place.ts";
import { Button } from "../../../kit/field.tsx";
import { Badge } from "../../../kit/icon.tsx";
import { TextLink } from "../../../kit/text-link.tsx";
import { dayText } from "../../../kit/words.ts";
import type { Agent } from "../agent.ts";
import { Brake } from "../brake.tsx";
import { Duplicate } from "../duplicate.tsx";
import { Floors } from "../floors.tsx";
import { RemoveAgent } from "../remove-agent.tsx";
import { useBuilding } from "../use-building.ts";
import { SettingsForm } from "./settings-form.tsx";

/** One agent's settings, its charter as a picture, and what can be done with it as a whole. */
export default function SettingsPage() {
  const { agent: name } = usePlace();
  const { data, error, refetch } = useApi<AgentListAnswer>(withQuery("/agents", { limit: 1000, removed: "true" }));
  const agent = data?.agents.find((one) => one.name === name);
  if (!agent)
    return (
      <Page title={`Settings of ${name}`}>
        {error ? (
          <Trouble problem={error} again={() => void refetch()} />
        ) : data ? (
          <Empty title={`There is no agent “${name}”`}>
            <TextLink href="/home">See the agents there are.</TextLink>
          </Empty>
        ) : (
          <Loading />
        )}
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
          Agent <code>{name}</code>, charter <code>{charter}</code>. Created {dayText(createdAt)}, changed{" "}
          {dayText(updatedAt)}.
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
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <SettingsForm
          agent={agent}
          view={view}
          onView={(next) => setAsked({ view: next === "json" ? "json" : undefined })}
        />
        <Card className="min-w-0">
          <h2 className="font-semibold">Charter</h2>
          <p className="mb-2 text-sm text-soft">
            Its layers in their own order: where two disagree, the earlier one wins. A request may have another order,
            with what changes every turn last. Each box is a section; open one to see its text.
          </p>
          <Legend />
          <Drawn agent={agent} />
        </Card>
      </div>
      {busy === "freeze" && <Brake agent={agent} onClose={close} />}
      {busy === "duplicate" && <Duplicate agent={agent} onClose={close} />}
      {busy === "remove" && <RemoveAgent agent={agent} onClose={close} onRemoved={() => go("/home")} />}
    </Page>
  );
}

function Drawn({ agent }: { readonly agent: Agent }) {
  const { data, error, refetch } = useBuilding(agent);
  if (error) return <Trouble problem={error} again={() => void refetch()} />;
  return data ? <Floors agent={agent.name} building={data} /> : <Loading what="Loading its charter…" />;
}

const colours = [
  ["bg-fixed", "read-only"],
  ["bg-amendable", "editable; its layer says by whom"],
  ["bg-live", "generated per turn"],
] as const;

function Legend() {
  return (
    <ul className="mb-3 flex flex-wrap gap-x-5 gap-y-1 text-soft text-xs">
      {colours.map(([colour, says]) => (
        <li key={colour} className="flex items-center gap-1.5">
          <span className={`size-2.5 rounded-sm ${colour}`} />
          {says}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <span className="size-1.5 rounded-full bg-amendable-ink" /> edited
      </li>
    </ul>
  );
}
