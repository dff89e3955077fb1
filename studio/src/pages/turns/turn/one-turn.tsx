import type { TurnAnswer, TurnListAnswer } from "charter/answers";
import { ArrowLeft, ArrowRight } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { Link, Redirect } from "wouter";
import { useApi } from "../../../api/query-client.ts";
import { encodeName, withQuery } from "../../../api/request.ts";
import { Card, Empty, Loading, Page, Trouble } from "../../../app/page.tsx";
import { housePlaceOf, placeOf, saidWith, useAsked } from "../../../app/place.ts";
import { allOf, billOf } from "../../../billing/bill.ts";
import { ToUser } from "../../../billing/links.tsx";
import { failedText, TurnState, tookText } from "../../../billing/listed-turn.tsx";
import { useLookingAgain, type WholeSample } from "../../../billing/sample.ts";
import { foundNotes, LedToReply } from "../../../cause/led-to-reply.tsx";
import { Badge, Icon } from "../../../kit/icon.tsx";
import { TextLink } from "../../../kit/text-link.tsx";
import { count, dollars, isCounterpart, plural, share, timeText } from "../../../kit/words.ts";
import { recordsIn, type StepRecord } from "./record.ts";
import { TurnTimeline } from "./timeline.tsx";

/** One turn as it went, from its input to its reply: one timeline, and beside it why. */
export function OneTurn({ agent, id }: { readonly agent: string; readonly id: string }) {
  const path = withQuery(`/turns/${encodeName(id)}`, { parts: "receipts,sample" });
  const { data, error: problem, refetch } = useApi<TurnAnswer<"receipts" | "sample">>(path);
  const records = useMemo(() => (data ? recordsIn(data.receipts) : []), [data]);
  const [asked] = useAsked();
  useLookingAgain(data?.state === "running", refetch);
  const facts = data?.id === id ? data : undefined;
  const neighbours = useNeighbours(agent, facts);
  if (facts && facts.scope.agent !== agent) return <Redirect to={placeOf(facts.scope.agent, "turns", id)} replace />;
  // A request that is open needs the room.
  const beside = asked("step") === undefined;
  return (
    <Page
      title={facts ? `Turn of ${timeText(facts.startedAt)}` : "Turn"}
      about={facts && <Sums agent={agent} facts={facts} sample={facts.sample} />}
      actions={<Ways agent={agent} id={id} neighbours={neighbours} />}
    >
      <Trouble problem={problem} again={() => void refetch()} />
      {!facts && !problem && <Loading />}
      {facts && (
        <div className="max-w-6xl space-y-4">
          <Failed facts={facts} />
          {facts.state === "erased" && (
            <Empty title="This turn was erased.">
              Its user was erased, and all text of this turn with them. The record still shows that it took place.
            </Empty>
          )}
          <div className={`grid gap-x-10 gap-y-6 ${beside ? "xl:grid-cols-[minmax(0,1fr)_19rem]" : ""}`}>
            <TurnTimeline agent={agent} facts={facts} whole={facts.sample} records={records} />
            <aside className="min-w-0 space-y-5 text-sm">
              <LedTo agent={agent} whole={facts.sample} steps={records} />
              <Facts agent={agent} facts={facts} sample={facts.sample} />
            </aside>
          </div>
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

type FactsProps = { readonly agent: string; readonly facts: TurnAnswer; readonly sample: WholeSample };

/** How it ended, for whom, how long it took and what it cost: the line under the title. */
function Sums({ agent, facts, sample }: FactsProps) {
  const { scope, channel, state, startedAt, endedAt, tainted } = facts;
  const bill = billOf(sample);
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 tabular-nums">
      <TurnState state={state} />
      {tainted && (
        <Badge tone="wait" title="Untrusted text was in its context.">
          tainted
        </Badge>
      )}
      <span>
        <ToUser agent={agent} user={scope.user} />
        {channel !== null && ` on ${channel}`}
      </span>
      {endedAt !== null && <span>{tookText(startedAt, endedAt)}</span>}
      {bill && allOf(bill) > 0 && (
        <span>
          {plural(allOf(bill), "token")} {bill.by === "provider" ? "in" : "predicted"}, {share(bill.read, allOf(bill))}{" "}
          from the cache
          {sample.usage.output !== null && `, ${count(sample.usage.output)} out`}
        </span>
      )}
      {(sample.cost !== null || state === "answered") && (
        <span className="font-medium text-ink">{sample.cost === null ? "cost unknown" : dollars(sample.cost)}</span>
      )}
    </span>
  );
}

/** Which turn it is, and what else there is of the same conversation and person. */
function Facts({ agent, facts, sample }: FactsProps) {
  const { scope, session, startedAt, steps, id } = facts;
  const { user } = scope;
  return (
    <section aria-label="About this turn">
      <h2 className="mb-1 text-soft text-xs">About this turn</h2>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 tabular-nums">
        <Fact name="Started">{timeText(startedAt)}</Fact>
        {sample.receiver && <Fact name="Model">{sample.receiver}</Fact>}
        <Fact name="Requests">{count(steps)}</Fact>
        {sample.edition && <Fact name="Edition">{sample.edition}</Fact>}
        {session !== null && (
          <Fact name="Session">
            <TextLink href={placeOf(agent, "turns", undefined, { user, session })}>all its turns</TextLink>
          </Fact>
        )}
        {user !== undefined && (
          <Fact name={isCounterpart(user) ? "Sender" : "Person"}>
            <TextLink href={saidWith(agent, user)}>what was said</TextLink>
            {!isCounterpart(user) && (
              <>
                {" · "}
                <TextLink href={housePlaceOf("people", user, { agent })}>all of theirs</TextLink>
              </>
            )}
          </Fact>
        )}
        <Fact name="Turn">
          <code className="text-xs">{id}</code>
        </Fact>
        {session !== null && (
          <Fact name="Session id">
            <code className="text-xs">{session}</code>
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

type LedToProps = { readonly agent: string; readonly whole: WholeSample; readonly steps: readonly StepRecord[] };

function LedTo({ agent, whole, steps }: LedToProps) {
  if (foundNotes(steps).length === 0 && !whole.since?.amendments.length) return null;
  return (
    <LedToReply
      agent={agent}
      user={whole.scope.user}
      since={whole.since}
      steps={steps}
      title="What led to this reply"
    />
  );
}

const way =
  "inline-flex min-h-9 items-center gap-1.5 rounded-md border border-line bg-card px-3 py-1 font-medium text-sm hover:bg-raised";

type WaysProps = { readonly agent: string; readonly id: string; readonly neighbours: Neighbours };

function Ways({ agent, id, neighbours: { previous, next } }: WaysProps) {
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

type Neighbours = { readonly previous: string | undefined; readonly next: string | undefined };

/** Turns that may have begun in the same millisecond. */
const atOnce = 10;

/** The turns before and after one, in the agent's own order. */
function useNeighbours(
  agent: string,
  { id, startedAt }: Partial<Pick<TurnAnswer, "id" | "startedAt">> = {},
): Neighbours {
  const path = (query: Readonly<Record<string, string>>) =>
    startedAt && withQuery(`/agents/${encodeName(agent)}/turns`, { ...query, limit: atOnce });
  const justAfter = startedAt && new Date(Date.parse(startedAt) + 1).toISOString();
  const before = useApi<TurnListAnswer>(path({ to: justAfter ?? "" })).data;
  const after = useApi<TurnListAnswer>(path({ from: startedAt ?? "", sort: "oldest" })).data;
  const behind = (list: TurnListAnswer | undefined) => {
    const at = list?.turns.findIndex((turn) => turn.id === id) ?? -1;
    return at === -1 ? undefined : list?.turns[at + 1]?.id;
  };
  return { previous: behind(before), next: behind(after) };
}
