import type { ApprovalListAnswer, HomeAnswer, MeAnswer } from "charter/answers";
import { type ReactNode, useCallback, useState } from "react";
import { useLocation } from "wouter";
import { useApi } from "../../api/query-client.ts";
import { withQuery } from "../../api/request.ts";
import { Card } from "../../app/page.tsx";
import { housePlaceOf, placeOf } from "../../app/place.ts";
import { Links } from "../../app/sorted-table.tsx";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Button } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, shortTime, shownName } from "../../kit/words.ts";
import { type Decision, Decisions, useKeys } from "../approvals/deciding.tsx";
import { HeldItem, waitingOf } from "../approvals/held-card.tsx";
import { MessageActs } from "../life/messages.tsx";
import { Cancel } from "../schedules/cancel.tsx";

const most = 5;

/** What needs a person, of all agents: each is settled where it stands. */
export function Needs({ home }: { readonly home: HomeAnswer }) {
  const approvals = useApi<ApprovalListAnswer>(withQuery("/approvals", { limit: most })).data;
  const [decisions, setDecisions] = useState<readonly Decision[]>([]);
  const decided = useCallback((one: Decision) => setDecisions((before) => [one, ...before]), []);
  useKeys();
  const { failures, deadLetters, lateSchedules, models } = home;
  const waiting = approvals ? waitingOf(approvals).slice(0, most) : [];
  const total = (approvals?.total ?? 0) + failures.total + deadLetters.total + lateSchedules.total + models.length;
  return (
    <section aria-labelledby="needs" className="min-w-0 space-y-4">
      <h2 id="needs" className="font-medium">
        Needs you <span className="text-soft tabular-nums">{count(total)}</span>
      </h2>
      <Decisions decisions={decisions} />
      {approvals && total === 0 && <p className="text-sm text-soft">Nothing needs you.</p>}
      {models.map(({ model, agents, problem }) => (
        <Card key={model} className="space-y-1 text-sm">
          <p className="[overflow-wrap:anywhere]">
            <strong className="font-medium text-bad">No key</strong> for <code>{model}</code>, which{" "}
            <Links of={agents.map((agent) => [agent, placeOf(agent, "settings")])} /> would be asked by
          </p>
          <p className="text-soft">{problem.hint}</p>
        </Card>
      ))}
      <More shown={waiting.length} total={approvals?.total ?? 0} href={housePlaceOf("approvals")} what="approvals" />
      {waiting.length > 0 && (
        <ol className="space-y-4">
          {waiting.map((held) => (
            <HeldItem key={held.id} held={held} onDecided={decided} />
          ))}
        </ol>
      )}
      <Rows title="Failed turns" shown={failures.rows.length} total={failures.total}>
        {failures.rows.map((one) => (
          <Failure key={one.turn} failure={one} />
        ))}
      </Rows>
      <Rows title="Messages nobody answered" shown={deadLetters.rows.length} total={deadLetters.total}>
        {deadLetters.rows.map((one) => (
          <Dead key={`${one.agent} ${one.id}`} letter={one} />
        ))}
      </Rows>
      <Rows title="Overdue schedules" shown={lateSchedules.rows.length} total={lateSchedules.total}>
        {lateSchedules.rows.map((one) => (
          <Late key={one.id} schedule={one} />
        ))}
      </Rows>
    </section>
  );
}

type MoreProps = { readonly shown: number; readonly total: number; readonly href: string; readonly what: string };

function More({ shown, total, href, what }: MoreProps) {
  if (total <= shown) return null;
  return (
    <p className="text-sm">
      <TextLink href={href}>
        All {count(total)} {what}
      </TextLink>
    </p>
  );
}

type RowsProps = {
  readonly title: string;
  readonly shown: number;
  readonly total: number;
  readonly children: ReactNode;
};

function Rows({ title, shown, total, children }: RowsProps) {
  if (total === 0) return null;
  return (
    <div>
      <h3 className="mb-1 text-soft text-xs">
        {title}
        {total > shown && ` (the latest ${count(shown)} of ${count(total)})`}
      </h3>
      <ul className="divide-y divide-line rounded-lg border border-line bg-card">{children}</ul>
    </div>
  );
}

type RowProps = {
  readonly head: ReactNode;
  readonly why: ReactNode;
  readonly words: string;
  readonly children: ReactNode;
};

function Row({ head, why, words, children }: RowProps) {
  return (
    <li className="space-y-1 px-4 py-2.5 text-sm">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
          {head}
          <span className="block text-bad">{why}</span>
          <span className="line-clamp-2 text-soft" dir="auto">
            {words}
          </span>
        </p>
        <div className="flex gap-1">{children}</div>
      </div>
    </li>
  );
}

function Failure({
  failure: { turn, agent, user, at, input, because },
}: {
  readonly failure: HomeAnswer["failures"]["rows"][number];
}) {
  const [, go] = useLocation();
  const me = useApi<MeAnswer>("/me").data?.user ?? "";
  const as = user === "" ? me : user;
  const [, setDraft] = useDraft(placeOfDraft("chat", agent, as));
  const again = () => {
    setDraft(input);
    go(housePlaceOf("home", undefined, { chat: agent, as }));
  };
  return (
    <Row
      head={
        <>
          <TextLink href={placeOf(agent, "turns", turn)}>{shortTime(at)}</TextLink> {agent}
          {user !== "" && (
            <>
              {" "}
              for <bdi>{shownName(user)}</bdi>
            </>
          )}
        </>
      }
      why={because?.message ?? "It did not say why."}
      words={input}
    >
      {!user.startsWith("counterpart:") && (
        <Button onClick={again} aria-label={`Send it again: ${input.slice(0, 60)}`}>
          Send it again
        </Button>
      )}
    </Row>
  );
}

function Dead({
  letter: { agent, id, sender, at, body, because },
}: {
  readonly letter: HomeAnswer["deadLetters"]["rows"][number];
}) {
  return (
    <Row
      head={
        <>
          <TextLink href={placeOf(agent, "life")}>{shortTime(at)}</TextLink> to {agent} from <bdi>{sender}</bdi>
        </>
      }
      why={because}
      words={body}
    >
      <MessageActs agent={agent} message={{ id, sender, status: "dead" }} onDone={() => {}} />
    </Row>
  );
}

function Late({
  schedule: { agent, user, id, title, nextAt },
}: {
  readonly schedule: HomeAnswer["lateSchedules"]["rows"][number];
}) {
  return (
    <Row
      head={
        <>
          <TextLink href={placeOf(agent, "schedules")}>{title}</TextLink> of {agent}
          {user !== "" && (
            <>
              {" "}
              for <bdi>{user}</bdi>
            </>
          )}
        </>
      }
      why={`It was due ${shortTime(nextAt)}. It runs as soon as charter start or charter work does.`}
      words=""
    >
      <Cancel agent={agent} schedule={{ id, title, scope: { user: user === "" ? undefined : user } }} />
    </Row>
  );
}
