import { useMemo, useState } from "react";
import { BillTable } from "../../../billing/bill-table.tsx";
import { MarkIcon } from "../../../billing/mark-icon.tsx";
import { missText } from "../../../billing/marks.ts";
import { type SampleStep, strataOf } from "../../../billing/sample.ts";
import { useZoom } from "../../../kit/window.ts";
import { plural } from "../../../kit/words.ts";
import { Strata } from "../../../strata/strata.tsx";
import { Broke } from "../happenings.tsx";
import { GaveWay } from "./gave-way.tsx";
import { IdentityLine, OwnTools } from "./own-agent.tsx";
import type { StepRecord } from "./record.ts";
import { WholeRequest } from "./request/request.tsx";
import { Notices, StepResultView } from "./step-result.tsx";

const erasedText = "What this step sent, and what came back, was erased with its user.";
const deletedText =
  "What this step sent was deleted: receipts are kept only for a time (`charter retain`). The record shows that it took place, but not its text.";

/** The cause has a line of its own, with links. */
const withoutCause = (says: string, cause: string | undefined) =>
  cause !== undefined && says.endsWith(cause) ? says.slice(0, -cause.length).trimEnd() : says;

/** By the provider's own count; where it counted nothing, nobody knows. */
const leavesCache = ({ usage }: SampleStep) => usage !== null && (usage.read ?? 0) + (usage.written ?? 0) === 0;

const heading = "mb-2 font-medium";

/** One model call: what was sent as strata, what it was billed as, the very bytes, and what came back. */
export function OneStep(props: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly turn: string;
  readonly step: SampleStep;
  readonly record: StepRecord | undefined;
  /** The whole turn was erased, with its user. */
  readonly isErased: boolean;
}) {
  const { agent, user, turn, step, record, isErased } = props;
  const zoom = useZoom();
  const strata = useMemo(() => strataOf(step.sections), [step]);
  const [selected, setSelected] = useState<string>();
  if (step.erased) return <p className="text-sm text-soft">{isErased ? erasedText : deletedText}</p>;
  const notices = [...(record?.receipt?.notices ?? []), ...(record?.result?.notices ?? [])];
  return (
    <div className="space-y-6">
      {record?.identity && <IdentityLine of={record.identity} />}
      {(step.missed || step.broke) && (
        <p className="flex items-center gap-2 text-sm">
          {step.missed && <MarkIcon kind="broken" />}
          {step.missed && <span className="font-medium">Cache miss:</span>}
          {step.broke ? <Broke broke={step.broke} agent={agent} user={user} here={turn} /> : missText(step)}
        </p>
      )}
      <div className="grid grid-cols-1 gap-x-8 gap-y-6 lg:grid-cols-[minmax(14rem,22rem)_1fr]">
        <section>
          <h3 className={heading}>
            Sections sent <span className="font-normal text-soft">{plural(strata.length, "section")}</span>
          </h3>
          <Strata
            strata={strata}
            height={Math.round(400 * zoom)}
            selected={selected}
            onSelect={(name) => setSelected(name === selected ? undefined : name)}
            cache={{ min: undefined, unused: leavesCache(step), unknown: step.usage === null }}
            label={`The sections of step ${step.step}, in the order they were sent`}
          />
        </section>
        <section className="min-w-0">
          <h3 className={heading}>Tokens, predicted and billed</h3>
          <div className="mb-2 space-y-0.5 text-sm text-soft">
            {step.cache && <p>{withoutCause(step.cache.says, step.broke?.says)}</p>}
            {step.count.says !== null && <p>{step.count.says}</p>}
          </div>
          <BillTable agent={agent} user={user} step={step} selected={selected} />
        </section>
      </div>
      <section>
        <h3 className={heading}>Reply of the model</h3>
        <StepResultView result={record?.result ?? null} />
      </section>
      <OwnTools of={record?.ownTools ?? []} />
      <Notices notices={notices} />
      {record?.receipt && <GaveWay receipt={record.receipt} />}
      <section>
        <h3 className="font-medium">The whole request</h3>
        <p className="mb-2 text-sm text-soft">
          What the model was given, in the order it reads it: tools, system prompt, messages. It is rebuilt from the
          record, and every part was compared with its digest.
        </p>
        <WholeRequest agent={agent} user={user} turn={turn} step={step.step} receipt={record?.receipt ?? null} />
      </section>
    </div>
  );
}
