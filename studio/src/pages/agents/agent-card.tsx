import type { AgentListAnswer } from "charter/answers";
import { useState } from "react";
import { Link } from "wouter";
import { Card, Loading, Trouble } from "../../app/page.tsx";
import { pagesOf, placeOf, titles, useAsked } from "../../app/place.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { dayText, plural } from "../../kit/words.ts";
import { Brake } from "./brake.tsx";
import { Floors } from "./floors.tsx";
import { useBuilding } from "./use-building.ts";

export type Agent = AgentListAnswer["agents"][number];

export function AgentCard({ agent, waiting }: { readonly agent: Agent; readonly waiting: number }) {
  const [, setAsked] = useAsked();
  const [braking, setBraking] = useState(false);
  const { name, charter, model, frozen, amended, updatedAt, served } = agent;
  return (
    <li className="mb-4 min-w-0 break-inside-avoid">
      <Card className="flex flex-col gap-3">
        <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
          <div className="min-w-0 flex-1 basis-44">
            <h2 className="font-semibold text-lg leading-tight [overflow-wrap:anywhere]">
              <Link href={placeOf(name, "prompt")} className="hover:underline" dir="auto">
                {agent.label ?? name}
              </Link>
            </h2>
            <p className="text-soft text-xs">
              {amended === 0 ? "nothing of its own amended" : `${plural(amended, "section")} amended`} · changed{" "}
              {dayText(updatedAt)}
            </p>
          </div>
          <div className="flex flex-wrap gap-1">
            <Badge title="Its charter">{charter}</Badge>
            <Badge title="Its model">{model ?? "default model"}</Badge>
            {waiting > 0 && (
              <Link href={placeOf(name, "approvals")} className="hover:underline">
                <Badge tone="wait">{plural(waiting, "waits", "wait")} for you</Badge>
              </Link>
            )}
            {frozen && <Badge tone="wait">{frozen === "agent" ? "frozen" : "amendments frozen"}</Badge>}
          </div>
        </div>
        {served === false && (
          <p className="rounded-md bg-raised px-2.5 py-1.5 text-sm">
            It can be looked at here. It takes its turns in a directory, at a terminal:{" "}
            <code className="[overflow-wrap:anywhere]">charter chat --agent {name}</code>
          </p>
        )}
        <Drawn agent={agent} />
        <nav aria-label={`Pages of ${name}`}>
          <ul className="flex flex-wrap gap-x-3 gap-y-1 text-sm">
            {pagesOf(agent).map((page) => (
              <li key={page}>
                <Link href={placeOf(name, page)} className="text-accent hover:underline">
                  {titles[page]}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="flex flex-wrap gap-2 border-line border-t pt-3">
          <Button
            aria-label={`Set up ${name}`}
            onClick={() => setAsked({ "set-up": name, new: undefined }, { replace: false })}
          >
            Set up
          </Button>
          <Button
            kind={frozen ? "plain" : "danger"}
            aria-label={`${frozen ? "Thaw" : "Freeze"} ${name}`}
            onClick={() => setBraking(true)}
          >
            {frozen ? "Thaw" : "Freeze"}
          </Button>
        </div>
      </Card>
      {braking && <Brake agent={agent} onClose={() => setBraking(false)} />}
    </li>
  );
}

function Drawn({ agent }: { readonly agent: Agent }) {
  const { data, error, refetch } = useBuilding(agent);
  if (error) return <Trouble problem={error} again={() => void refetch()} />;
  return data ? <Floors agent={agent.name} building={data} /> : <Loading what="Drawing its charter…" />;
}
