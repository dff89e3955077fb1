import type { TurnAnswer } from "charter/answers";
import { ArrowLeft, ArrowRight } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { Link, Redirect } from "wouter";
import { useApi } from "../../../api/query-client.ts";
import { encodeName, withQuery } from "../../../api/request.ts";
import { Card, Empty, Loading, Page, Trouble } from "../../../app/page.tsx";
import { placeOf } from "../../../app/place.ts";
import type { WholeSample } from "../../../billing/sample.ts";
import { useLookingAgain } from "../../../billing/samples.ts";
import { foundNotes } from "../../../cause/found-notes.ts";
import { LedToReply } from "../../../cause/led-to-reply.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { timeText } from "../../../kit/words.ts";
import { failedText } from "../failed-text.ts";
import { Happened } from "./happened.tsx";
import { type Neighbours, useNeighbours } from "./neighbours.ts";
import { recordsIn, type StepRecord } from "./record.ts";
import { Said } from "./said.tsx";
import { Steps } from "./steps.tsx";
import { TurnFactsLine } from "./turn-facts.tsx";

/** One turn: what was asked and answered, and step by step what was sent, what it cost and what came of it. */
export function OneTurn({ agent, id }: { readonly agent: string; readonly id: string }) {
  const path = withQuery(`/turns/${encodeName(id)}`, { parts: "receipts,sample" });
  const { data, error: problem, refetch } = useApi<TurnAnswer<"receipts" | "sample">>(path);
  const neighbours = useNeighbours(agent, id).data;
  const records = useMemo(() => (data ? recordsIn(data.receipts) : []), [data]);
  const running = data?.state === "running";
  useLookingAgain(running, refetch);
  const facts = data?.id === id ? data : undefined;
  const whole = facts?.sample;
  if (facts && facts.scope.agent !== agent) return <Redirect to={placeOf(facts.scope.agent, "turns", id)} replace />;
  return (
    <Page
      title={facts ? `Turn of ${timeText(facts.startedAt)}` : "Turn"}
      actions={<Ways agent={agent} id={id} neighbours={neighbours} />}
    >
      {problem && <Trouble problem={problem} again={() => void refetch()} />}
      {!facts && !problem && <Loading />}
      {facts && (
        <div className="space-y-4">
          <Failed facts={facts} />
          <TurnFactsLine agent={agent} facts={facts} sample={whole} />
          {facts.state === "erased" ? (
            <Empty title="This turn was erased.">
              Its user was erased, and all text of this turn with them. The record still shows that it took place.
            </Empty>
          ) : (
            <Said agent={agent} facts={facts} />
          )}
          {whole && <LedTo agent={agent} whole={whole} steps={records} />}
          {whole && <What agent={agent} whole={whole} />}
          {whole && whole.steps.length > 0 && (
            <Steps
              agent={agent}
              user={facts.scope.user}
              turn={id}
              steps={whole.steps}
              records={records}
              isErased={facts.state === "erased"}
            />
          )}
          {whole && whole.steps.length === 0 && facts.state !== "erased" && (
            <Empty title={running ? "Nothing was sent yet." : "Nothing was sent in this turn."}>
              {running ? "This page updates automatically." : "It ended before the model was asked."}
            </Empty>
          )}
        </div>
      )}
    </Page>
  );
}

function Failed({ facts }: { readonly facts: TurnAnswer }) {
  const text = failedText(facts);
  if (text === undefined) return null;
  return (
    <Card className="border-bad/40!">
      <p dir="auto" className="text-bad [overflow-wrap:anywhere]">
        {text}
      </p>
      {facts.because && (
        <p className="mt-0.5 text-soft text-sm">
          <code>{facts.because.code}</code>
        </p>
      )}
    </Card>
  );
}

function LedTo(props: { readonly agent: string; readonly whole: WholeSample; readonly steps: readonly StepRecord[] }) {
  const { agent, whole, steps } = props;
  if (foundNotes(steps).length === 0 && !whole.since?.amendments.length) return null;
  return (
    <Card>
      <LedToReply
        agent={agent}
        user={whole.scope.user}
        since={whole.since}
        steps={steps}
        title="What led to this reply"
      />
    </Card>
  );
}

const shown = new Set(["amended", "amendment-refused", "amendment-held", "tool-held"]);

function What({ agent, whole }: { readonly agent: string; readonly whole: WholeSample }) {
  if (!whole.events.some(({ kind }) => shown.has(kind))) return null;
  return (
    <Card>
      <h2 className="mb-2 font-medium">Changes, refusals and approvals</h2>
      <Happened agent={agent} events={whole.events} />
    </Card>
  );
}

const way =
  "inline-flex min-h-9 items-center rounded-md border border-line bg-card px-3 py-1 font-medium text-sm hover:bg-raised";

type WaysProps = { readonly agent: string; readonly id: string; readonly neighbours: Neighbours | undefined };

function Ways({ agent, id, neighbours }: WaysProps) {
  const { previous, next } = neighbours ?? {};
  return (
    <nav aria-label="Other turns" className="flex flex-wrap gap-2">
      <Link href={placeOf(agent, "turns")} className={way}>
        All turns
      </Link>
      <Way agent={agent} to={previous}>
        <Icon of={ArrowLeft} /> Previous
      </Way>
      <Way agent={agent} to={next}>
        Next <Icon of={ArrowRight} />
      </Way>
      {previous !== undefined && (
        <Link
          href={placeOf(agent, "compare", undefined, { left: `turn:${previous}`, right: `turn:${id}` })}
          className={way}
        >
          Compare with the turn before
        </Link>
      )}
    </nav>
  );
}

type WayProps = { readonly agent: string; readonly to: string | undefined; readonly children: ReactNode };

function Way({ agent, to, children }: WayProps) {
  return to === undefined ? (
    <span className={`${way} cursor-not-allowed border-dashed text-soft hover:bg-card`}>{children}</span>
  ) : (
    <Link href={placeOf(agent, "turns", to)} className={way}>
      {children}
    </Link>
  );
}
