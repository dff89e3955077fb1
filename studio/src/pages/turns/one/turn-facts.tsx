import type { TurnAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { placeOf } from "../../../app/place.ts";
import { allOf, billOf } from "../../../billing/bill.ts";
import { To, ToUser } from "../../../billing/links.tsx";
import type { WholeSample } from "../../../billing/sample.ts";
import { Badge } from "../../../kit/icon.tsx";
import { count, dollars, plural, share, shownName, timeText } from "../../../kit/words.ts";
import { TurnState } from "../state.tsx";
import { tookText } from "./took.ts";

/** Who, where, when, how it ended, what it cost. */
export function TurnFactsLine(props: {
  readonly agent: string;
  readonly facts: TurnAnswer;
  readonly sample: WholeSample | undefined;
}) {
  const { agent, facts, sample } = props;
  const { scope, channel, session, state, startedAt, endedAt, steps, tainted } = facts;
  const bill = sample && billOf(sample);
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
      <Fact name="State">
        <TurnState state={state} />{" "}
        {tainted && (
          <Badge tone="wait" title="Untrusted text was in its context.">
            tainted
          </Badge>
        )}
      </Fact>
      <Fact name="User">
        <ToUser agent={agent} user={scope.user} />
      </Fact>
      <Fact name="Channel">{channel ?? "–"}</Fact>
      <Fact name="Started">{timeText(startedAt)}</Fact>
      {endedAt !== null && <Fact name="Duration">{tookText(startedAt, endedAt)}</Fact>}
      <Fact name="Steps">{count(steps)}</Fact>
      {sample?.receiver && <Fact name="Model">{sample.receiver}</Fact>}
      {sample?.edition && <Fact name="Edition">{sample.edition}</Fact>}
      {bill && allOf(bill) > 0 && (
        <Fact name={bill.by === "provider" ? "Input, billed" : "Input, predicted"}>
          {plural(allOf(bill), "token")}, {share(bill.read, allOf(bill))} from the cache
        </Fact>
      )}
      {sample && sample.usage.output !== null && <Fact name="Output">{count(sample.usage.output)}</Fact>}
      {sample && (sample.cost !== null || state === "answered") && (
        <Fact name="Cost">{sample.cost === null ? "unknown" : dollars(sample.cost)}</Fact>
      )}
      {session !== null && (
        <Fact name="Session">
          <To href={placeOf(agent, "turns", undefined, { user: scope.user, session })}>
            <code>{session}</code>
          </To>
        </Fact>
      )}
      {scope.user !== undefined && (
        <Fact name="Conversation">
          <To href={placeOf(agent, "conversations", scope.user)}>with {shownName(scope.user)}</To>
        </Fact>
      )}
      <Fact name="Turn">
        <code>{facts.id}</code>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-soft text-xs">{name}</dt>
      <dd className="tabular-nums [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
