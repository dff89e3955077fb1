import type { ReactNode } from "react";
import { TextLink } from "../../kit/text-link.tsx";
import { timeText } from "../../kit/words.ts";
import { tierWords } from "./budget-words.ts";
import type { Obstacle } from "./obstacles.ts";

/** What keeps it from its turns, in the order in which it has to be mended. */
export function ObstacleList({ obstacles }: { readonly obstacles: readonly Obstacle[] }) {
  if (obstacles.length === 0) return null;
  return (
    <ul aria-label="What to know" className="mb-4 space-y-2">
      {obstacles.map((obstacle) => (
        <li
          key={obstacle.kind}
          className={`rounded-lg border bg-card px-4 py-2.5 text-sm ${isBad(obstacle) ? "border-bad/50" : "border-wait/50"}`}
        >
          <Says obstacle={obstacle} />
        </li>
      ))}
    </ul>
  );
}

function isBad(obstacle: Obstacle): boolean {
  return obstacle.kind === "tier" && tierWords(obstacle.tier).tone === "bad";
}

function Says({ obstacle }: { readonly obstacle: Obstacle }) {
  switch (obstacle.kind) {
    case "never-started":
      return (
        <Told title="Nothing runs it yet.">
          Messages wait. Name it as <code>automaton</code> in <code>charter.config.ts</code>, then run{" "}
          <code>charter start</code> or <code>charter work</code>.
        </Told>
      );
    case "no-process":
      return (
        <Told title="No process runs it now.">
          Messages wait until <code>charter start</code> or <code>charter work</code> runs again.
        </Told>
      );
    case "frozen":
      return (
        <Told title="It is frozen.">
          Messages wait. <TextLink href="/home">Unfreeze it on the Agents page</TextLink>
        </Told>
      );
    case "asleep":
      return (
        <Told title={`It is asleep until ${obstacle.until === undefined ? "you wake it" : timeText(obstacle.until)}.`}>
          Messages wait.
        </Told>
      );
    case "away":
      return (
        <Told title={`Its model has given no answer since ${timeText(obstacle.since)}.`}>
          Messages wait, and none is lost: it is asked again by itself. Reason:{" "}
          <span className="[overflow-wrap:anywhere]">{obstacle.because}</span>
        </Told>
      );
    case "tier": {
      const { title, says } = tierWords(obstacle.tier);
      return <Told title={`Its budget is ${title.toLowerCase()}.`}>{says}</Told>;
    }
  }
}

function Told({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <strong className="font-medium">{title}</strong> {children}
    </>
  );
}
