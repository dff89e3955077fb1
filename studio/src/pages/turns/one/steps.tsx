import { Tabs } from "radix-ui";
import { Card } from "../../../app/page.tsx";
import { useAsked } from "../../../app/place.ts";
import { MarkIcon } from "../../../billing/mark-icon.tsx";
import type { SampleStep } from "../../../billing/sample.ts";
import { plural } from "../../../kit/words.ts";
import { OneStep } from "./one-step.tsx";
import type { StepRecord } from "./record.ts";

/** The steps of a turn, one at a time: which is in the address. */
export function Steps(props: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly turn: string;
  readonly steps: readonly SampleStep[];
  readonly records: readonly StepRecord[];
  readonly isErased: boolean;
}) {
  const { agent, user, turn, steps, records, isErased } = props;
  const [asked, setAsked] = useAsked();
  const wanted = steps.find(({ step }) => String(step) === asked("step")) ?? steps[0];
  if (!wanted) return null;
  return (
    <Card className="p-0!">
      <h2 className="sr-only">Step by step</h2>
      <Tabs.Root value={String(wanted.step)} onValueChange={(step) => setAsked({ step })}>
        <Tabs.List aria-label="Steps" className="flex flex-wrap gap-x-1 border-line border-b px-2">
          {steps.map((step) => (
            <Tab key={step.step} step={step} record={records.find((one) => one.step === step.step)} />
          ))}
        </Tabs.List>
        <Tabs.Content value={String(wanted.step)} className="p-4 outline-offset-[-2px]">
          <OneStep
            key={wanted.step}
            agent={agent}
            user={user}
            turn={turn}
            step={wanted}
            record={records.find((one) => one.step === wanted.step)}
            isErased={isErased}
          />
        </Tabs.Content>
      </Tabs.Root>
    </Card>
  );
}

function Tab({ step, record }: { readonly step: SampleStep; readonly record: StepRecord | undefined }) {
  const calls = record?.result?.answer?.calls.length ?? 0;
  return (
    <Tabs.Trigger
      value={String(step.step)}
      className="-mb-px inline-flex min-h-10 items-center gap-1.5 border-transparent border-b-2 px-3 text-sm text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
    >
      Step {step.step}
      {calls > 0 && <span className="text-soft text-xs">{plural(calls, "call")}</span>}
      {step.missed && <MarkIcon kind="broken" size={11} />}
    </Tabs.Trigger>
  );
}
