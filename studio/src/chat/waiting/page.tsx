import type { ApprovalListAnswer, TurnAnswer } from "charter/answers";
import { Button } from "../../kit/field.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { refresh, useRead } from "../api/read.ts";
import { sendJson, useAct } from "../api/request.ts";
import { addressOf } from "../app/place.ts";
import { Diff } from "../kit/diff.tsx";
import { Empty, Loading, Page, Refusals, Trouble, whenText } from "../kit/page.tsx";

/** What the agent may not do without this user's yes. */
export function WaitingPage() {
  const { data, problem } = useRead<ApprovalListAnswer>("/api/approvals?limit=100");
  const all = [...(data?.proposals ?? []), ...(data?.calls ?? [])].sort((a, b) => a.at.localeCompare(b.at));
  return (
    <Page title="Waiting for you" about="Some things need your approval first. Each is listed here, with the reason.">
      <Trouble problem={problem} again={refresh} />
      {!data && !problem && <Loading />}
      {data && all.length === 0 && (
        <Empty title="Nothing is waiting">When the assistant needs your approval, it is shown here.</Empty>
      )}
      <div className="space-y-4">
        {all.map((one) => (
          <HeldCard key={one.id} of={one} />
        ))}
      </div>
    </Page>
  );
}

/** A change or an action that waits for a person's yes. */
export type Held = ApprovalListAnswer["proposals"][number] | ApprovalListAnswer["calls"][number];

/** One by its id: in a conversation, where it may have been decided by now. */
export function HeldById({ id, onGoOn }: { readonly id: string; readonly onGoOn: () => void }) {
  const { data, problem } = useRead<Held>(`/api/approvals/${encodeURIComponent(id)}`);
  if (data) return <HeldCard of={data} onGoOn={onGoOn} />;
  return problem ? <Trouble problem={problem} /> : null;
}

/** `onGoOn`: it stands in the conversation that caused it, which goes on when an action is approved. */
export function HeldCard({ of, onGoOn }: { readonly of: Held; readonly onGoOn?: () => void }) {
  const { busy, problem, run } = useAct();
  const call = "tool" in of;
  const decide = async (how: "approve" | "reject", body = {}) => {
    const done = await run(() => sendJson(`/api/approvals/${encodeURIComponent(of.id)}/${how}`, body));
    if (done && call && how === "approve") onGoOn?.();
  };
  const waits = of.status === "waiting";
  const operators = !call && of.refusals.some(({ guard }) => operatorGuards.has(guard));
  return (
    <section aria-label={waits ? "Waits for you" : "Decided"} className="rounded-xl border border-line bg-card p-4">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <strong className="font-medium [overflow-wrap:anywhere]">
          {call ? <CallTitle of={of} /> : <ProposalTitle of={of} />}
        </strong>
        <time dateTime={of.at} className="text-soft text-xs">
          {whenText(of.at)}
        </time>
      </p>
      <div className="mt-2 space-y-2 text-sm">
        {call ? <CallBody of={of} /> : <ProposalBody of={of} />}
        {!onGoOn && <Cause turn={call ? of.turn : of.proposal.turn} />}
        <Trouble problem={problem} />
        {!waits && <p className="text-soft">{becameWords(of)}</p>}
        {waits && operators && (
          <p className="text-wait">Only whoever runs the assistant can approve this. You can reject it.</p>
        )}
      </div>
      {waits && (
        <div className="mt-3 flex flex-wrap gap-2">
          {!operators && (
            <Button kind="primary" disabled={busy} onClick={() => decide("approve")}>
              Approve
            </Button>
          )}
          {call && of.mine && (
            <Button disabled={busy} onClick={() => decide("approve", { mine: true })}>
              {of.mine}
            </Button>
          )}
          <Button disabled={busy} onClick={() => decide("reject")}>
            Reject
          </Button>
        </div>
      )}
    </section>
  );
}

type Call = Extract<Held, { readonly tool: string }>;
type Proposal = Exclude<Held, Call>;

function CallTitle({ of: { question } }: { readonly of: Call }) {
  return <bdi>{question.sentence}</bdi>;
}

function ProposalTitle({ of: { section, shared, proposal } }: { readonly of: Proposal }) {
  return (
    <>
      {proposal.actor === "agent" ? "The assistant wants" : "You asked"} to change {shared ? "everybody’s" : "your"}{" "}
      <bdi>{section}</bdi>
    </>
  );
}

function CallBody({ of: { question } }: { readonly of: Call }) {
  if (question.details.length === 0) return null;
  return (
    <div className="rounded-lg bg-raised px-3 py-2">
      <LongText text={question.details.join("\n")} max={600} />
    </div>
  );
}

function ProposalBody({ of: { before, after, refusals, proposal } }: { readonly of: Proposal }) {
  return (
    <>
      <Diff before={before} after={after} max={20} />
      {proposal.reason && (
        <p dir="auto" className="text-soft [overflow-wrap:anywhere]">
          Reason given: {proposal.reason}
        </p>
      )}
      <Refusals of={refusals} />
    </>
  );
}

/** What only whoever runs the assistant answers. */
const operatorGuards = new Set(["approved-by", "reaches-others", "second-opinion"]);

/** What became of something that waited. */
function becameWords(held: Held): string {
  if (held.status === "rejected") return "You rejected it. Nothing was done.";
  if (!("tool" in held)) return "Approved. It applies from the next message on.";
  switch (held.status) {
    case "approved":
      return "Approved. It is done with your next message: write “Go on.”";
    case "running":
      return "Approved. It is being done.";
    case "done":
      return "Approved and done.";
    default:
      return "Approved, but it did not work.";
  }
}

const longest = 140;

/** What was said when it came up, and the way there. */
export function Cause({ turn }: { readonly turn: string | undefined }) {
  const { data } = useRead<TurnAnswer>(turn === undefined ? undefined : `/api/turns/${encodeURIComponent(turn)}`);
  if (!data || data.input.trim() === "") return null;
  const letters = [...data.input.trim()];
  const words = letters.length > longest ? `${letters.slice(0, longest).join("")}…` : letters.join("");
  return (
    <p className="text-soft [overflow-wrap:anywhere]">
      It came up when you wrote “<bdi>{words}</bdi>”
      {data.session !== null && (
        <>
          {" "}
          <a href={addressOf.talk(data.session)} className="text-accent underline">
            Show
          </a>
        </>
      )}
    </p>
  );
}
