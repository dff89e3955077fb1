import type { ApprovalListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, sendJson } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Refusals, Trouble } from "../../app/page.tsx";
import { housePlaceOf } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { allowedOnce, wishOf } from "../../kit/own-tool.tsx";
import { DiffView } from "../../kit/text/diff.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { plural } from "../../kit/words.ts";
import { Card } from "./happenings.tsx";
import type { Waiting as One } from "./recorded.ts";

type HeldCardProps = {
  readonly of: { readonly held: string; readonly what: "proposal" | "call"; readonly name: string };
  /** `goesOn`: what was approved is done with the next message. */
  readonly onDecided: (goesOn: boolean) => void;
};

/** Something that waits for a person, who can decide it here; later it says what became of it. */
export function HeldCard({ of: { held, what, name: about }, onDecided }: HeldCardProps) {
  const { data, error } = useApi<Held>(`/approvals/${encodeName(held)}`);
  const { busy, problem, run } = useAct();
  const decide = (how: "approve" | "reject", body = {}) =>
    run(async () => {
      await sendJson(`/approvals/${encodeName(held)}/${how}`, body);
      onDecided(how === "approve" && what === "call");
    });
  const status = data?.status ?? "waiting";
  const asks = data && "tool" in data ? data.asks : undefined;
  const name = asks === undefined ? about : wishOf(asks);
  return (
    <Card
      tone={status === "waiting" ? "wait" : status === "rejected" || status === "failed" ? "bad" : "good"}
      label={status === "waiting" ? "Needs approval" : "Approval"}
      title={
        status === "waiting" ? (
          <>
            <strong className="font-medium text-wait">Needs approval</strong>{" "}
            {asks === undefined ? (
              <>
                “<bdi>{name}</bdi>”{" "}
                {what === "call" ? "runs only if you approve it." : "changes only if you approve it."}
              </>
            ) : (
              <>
                The agent <bdi>{asks}</bdi>. It was refused for now.
              </>
            )}
          </>
        ) : (
          <>
            “<bdi>{name}</bdi>” <strong className="font-medium">{data && whatBecame(data)}</strong>
          </>
        )
      }
      to={{ href: housePlaceOf("approvals", held), words: "in Approvals" }}
    >
      {data && <Asked of={data} />}
      {error && !data && <Trouble problem={error} />}
      <Trouble problem={problem} />
      {data?.status === "waiting" && (
        <div className="mt-2 flex gap-2">
          <Button kind="primary" disabled={busy} onClick={() => decide("approve")}>
            Approve
          </Button>
          {"tool" in data && data.mine && (
            <Button disabled={busy} onClick={() => decide("approve", { mine: true })}>
              {data.mine}
            </Button>
          )}
          <Button disabled={busy} onClick={() => decide("reject")}>
            Reject
          </Button>
        </div>
      )}
    </Card>
  );
}

function Asked({ of }: { readonly of: Held }) {
  if (!("tool" in of))
    return (
      <>
        <Refusals refusals={of.refusals} />
        <DiffView before={of.before} after={of.after} max={12} className="mt-1.5" />
      </>
    );
  if (of.asks !== undefined) return <AskedPermission of={of} />;
  return (
    <>
      <p className="text-soft [overflow-wrap:anywhere]">{of.question.sentence}</p>
      <Details of={of} />
    </>
  );
}

type Call = Extract<Held, { readonly tool: string }>;

function AskedPermission({ of }: { readonly of: Call }) {
  return (
    <>
      {of.status === "waiting" && <p className="text-soft">Approved, it is {allowedOnce}.</p>}
      <Details of={of} />
    </>
  );
}

/** What of a call is too long for a sentence. */
function Details({ of: { question } }: { readonly of: Call }) {
  if (question.details.length === 0) return null;
  const text = question.details.join("\n");
  return <LongText text={text} max={600} className="mt-1.5 rounded-md bg-raised px-2 py-1 font-mono text-xs" />;
}

/** A proposal or a call that a person decides. */
export type Held = ApprovalListAnswer["proposals"][number] | ApprovalListAnswer["calls"][number];

/** What became of it, to go on after its name. */
export function whatBecame(held: Held): string {
  const by = held.decidedBy === null ? "" : ` by ${held.decidedBy}`;
  if ("tool" in held && held.asks !== undefined)
    switch (held.status) {
      case "approved":
        return `was approved${by}: it is allowed once, with your next message, if the agent asks for the same again.`;
      case "running":
        return "was approved, and is allowed once in the turn that runs now.";
      case "done":
        return `was approved${by}, and allowed once.`;
      case "failed":
        return `was approved${by}, and not used. ${typeof held.result === "string" ? held.result : ""}`.trim();
      default:
        return rejected(by, held.decisionReason);
    }
  if ("tool" in held)
    switch (held.status) {
      case "approved":
        return `was approved${by}: it runs with your next message.`;
      case "running":
        return "was approved, and is running.";
      case "done":
        return `was approved${by}, and has run.`;
      case "failed":
        return `was approved${by}, and failed.`;
      default:
        return rejected(by, held.decisionReason);
    }
  if (held.status !== "approved") return rejected(by, held.decisionReason);
  const since =
    held.revision === null ? "" : `: it is revision ${held.revision}, and is in effect from the next prompt on`;
  return `was approved${by}${since}.`;
}

function rejected(by: string, because: string | null): string {
  return `was rejected${by}: nothing is done.${because === null ? "" : ` “${because}”`}`;
}

type WaitingProps = { readonly of: readonly One[]; readonly onDecided: (goesOn: boolean) => void };

/** What waits for a person and stands in no turn above. */
export function Waiting({ of, onDecided }: WaitingProps) {
  if (of.length === 0) return null;
  return (
    <details open={of.length === 1} className="rounded-md border border-line px-3 py-2">
      <summary className="text-sm text-wait">
        {of.length === 1 ? "1 approval is waiting" : `${plural(of.length, "approval")} are waiting`}
      </summary>
      <div className="mt-2 space-y-2">
        {of.map((one) => (
          <HeldCard key={one.held} of={one} onDecided={onDecided} />
        ))}
      </div>
    </details>
  );
}
