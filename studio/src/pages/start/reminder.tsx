import { useEffect } from "react";
import { Link } from "wouter";
import { usePlace } from "../../app/place.ts";
import { firstSteps, nextStep } from "./first-steps.ts";
import { remember, useRemembered } from "./remember.ts";
import { useFirst } from "./use-first-facts.ts";

/** While someone takes the three steps: on every other page, how far they are and the way back. */
export function StepReminder() {
  const { agent: begun, ended, seen } = useRemembered();
  const { agent, page } = usePlace();
  const { first } = useFirst(ended ? undefined : begun);
  const looksAtPrompt = page === "prompt" && agent === begun && first?.facts.said === true;
  useEffect(() => {
    if (begun !== undefined && looksAtPrompt && !seen) remember(begun, { seen: true });
  }, [begun, looksAtPrompt, seen]);
  if (!first || ended || location.pathname === "/start") return null;
  const steps = firstSteps(first.facts);
  const next = nextStep(steps);
  return (
    <nav aria-label="First steps" className="border-line border-b bg-raised px-4 py-1.5 text-sm">
      <Link href="/start" className="font-medium text-accent underline">
        First steps
      </Link>{" "}
      <span className="text-soft">
        {steps.filter(({ done }) => done).length} of {steps.length} done
        {next === undefined ? "." : `. Next: ${steps.find(({ name }) => name === next)?.title.toLowerCase()}.`}
      </span>
      <button
        type="button"
        className="ms-3 text-soft underline hover:text-ink"
        onClick={() => begun !== undefined && remember(begun, { ended: true })}
      >
        Hide
      </button>
    </nav>
  );
}
