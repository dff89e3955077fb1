import type { AgentUsersAnswer, MeAnswer, TurnListAnswer } from "charter/answers";
import { useMemo } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, type Whose, withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { useAsked, usePlace } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { count, plural, signed } from "../../kit/words.ts";
import { align, totalsOf } from "./align.ts";
import { Chooser, type Pair, presets } from "./chooser.tsx";
import { type CacheRules, Pictures } from "./pictures.tsx";
import { RowList } from "./row-list.tsx";
import { type ReadSide, type Sent, type Side, sideIn, sideText, useSide } from "./side.ts";

const about =
  "Two prompts side by side: what a turn sent, or the prompt of a new conversation, by user, channel and edition.";

/** The two sides stand in the address; without any, the last turn is compared with now. */
export default function ComparePage() {
  const { agent } = usePlace();
  const [asked, setAsked] = useAsked();
  const turns = useApi<TurnListAnswer>(withQuery(`/agents/${encodeName(agent)}/turns`, { limit: 100 }));
  const users = useApi<AgentUsersAnswer>(withQuery(`/agents/${encodeName(agent)}/users`, { limit: 1000 }));
  const me = useApi<MeAnswer>("/me");
  const listed = turns.data?.turns.every(({ scope }) => scope.agent === agent) ? turns.data.turns : [];
  const first = useMemo(() => {
    const known = { turns: listed, users: [], channels: [], user: me.data?.user ?? undefined };
    return me.data && turns.data ? presets(known).find(({ pair }) => pair)?.pair : undefined;
  }, [listed, me.data, turns.data]);
  const left = sideIn(asked("left")) ?? first?.left;
  const right = sideIn(asked("right")) ?? first?.right;
  const leftRead = useSide(agent, left, stepIn(asked("leftStep")));
  const rightRead = useSide(agent, right, stepIn(asked("rightStep")));
  const put = (pair: Pair, steps: { left?: string | undefined; right?: string | undefined } = {}) =>
    setAsked(
      {
        left: sideText(pair.left),
        right: sideText(pair.right),
        leftStep: steps.left,
        rightStep: steps.right,
        section: undefined,
      },
      { replace: false },
    );
  if (turns.error && !turns.data)
    return (
      <Page title="Compare">
        <Trouble problem={turns.error} />
      </Page>
    );
  if (!left || !right)
    return (
      <Page title="Compare" hint={about}>
        <Loading />
      </Page>
    );
  const channels = leftRead.channels ?? rightRead.channels ?? ["web", "telegram"];
  const offered = presets({
    turns: listed,
    users: users.data?.users ?? [],
    channels,
    user: me.data?.user ?? undefined,
  });
  const choosing = { agent, turns: listed };
  return (
    <Page title="Compare" hint={about}>
      <div className="mb-3 flex flex-wrap gap-2">
        {offered.map(({ words, pair }) => (
          <Button key={words} disabled={!pair} title={pair ? undefined : lacking} onClick={() => pair && put(pair)}>
            {words}
          </Button>
        ))}
      </div>
      <div className="mb-4 grid gap-2 xl:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
        <Chooser
          label="Left"
          {...choosing}
          side={left}
          read={leftRead}
          onSide={(side) => put({ left: side, right }, { right: asked("rightStep") })}
          onStep={(leftStep) => setAsked({ leftStep })}
        />
        <Button
          kind="quiet"
          aria-label="Swap the sides"
          className="place-self-center max-xl:rotate-90"
          onClick={() => put({ left: right, right: left }, { left: asked("rightStep"), right: asked("leftStep") })}
        >
          ⇄
        </Button>
        <Chooser
          label="Right"
          {...choosing}
          side={right}
          read={rightRead}
          onSide={(side) => put({ left, right: side }, { left: asked("leftStep") })}
          onStep={(rightStep) => setAsked({ rightStep })}
        />
      </div>
      <Unknown side={left} users={users.data} />
      {nameOf(left) !== nameOf(right) && <Unknown side={right} users={users.data} />}
      <Compared
        agent={agent}
        user={userOf(right, rightRead) ?? userOf(left, leftRead)}
        left={leftRead}
        right={rightRead}
        selected={asked("section")}
        onSelect={(section) => setAsked({ section })}
      />
    </Page>
  );
}

type ComparedProps = Whose & {
  readonly left: ReadSide;
  readonly right: ReadSide;
  readonly selected: string | undefined;
  readonly onSelect: (section: string) => void;
};

function Compared({ agent, user, left, right, selected, onSelect }: ComparedProps) {
  const problem = left.problem ?? right.problem;
  const nothing = left.nothing ?? right.nothing;
  if (problem) return <Trouble problem={problem} />;
  if (nothing) return <Empty title="Nothing to compare">{nothing}</Empty>;
  if (!left.sent || !right.sent) return <Loading />;
  return (
    <Both
      {...{ agent, user, selected, onSelect }}
      left={left.sent}
      right={right.sent}
      caches={[left.cache, right.cache]}
    />
  );
}

type BothProps = Omit<ComparedProps, "left" | "right"> & {
  readonly left: readonly Sent[];
  readonly right: readonly Sent[];
  readonly caches: CacheRules;
};

function Both({ agent, user, left, right, caches, selected, onSelect }: BothProps) {
  const rows = useMemo(() => align(left, right), [left, right]);
  const totals = useMemo(() => totalsOf(rows), [rows]);
  const { same, changed, left: onlyLeft, right: onlyRight } = totals.kinds;
  const kinds = [
    [changed, "changed"],
    [onlyLeft, "only left"],
    [onlyRight, "only right"],
    [same, "the same"],
  ] as const;
  return (
    <>
      <div className="mb-2 grid grid-cols-[minmax(0,1fr)_minmax(2rem,0.35fr)_minmax(0,1fr)] items-baseline text-sm">
        <p className="tabular-nums">{plural(totals.left, "token")}</p>
        <p className="text-center font-medium tabular-nums">{signed(totals.right - totals.left)}</p>
        <p className="text-end tabular-nums">{plural(totals.right, "token")}</p>
      </div>
      <Pictures left={left} right={right} caches={caches} rows={rows} selected={selected} onSelect={onSelect} />
      <h2 className="mt-6 mb-2 font-medium">
        {changed + onlyLeft + onlyRight === 0 ? "All text is the same" : "Section by section"}{" "}
        <span className="font-normal text-sm text-soft">
          {kinds
            .filter(([number]) => number > 0)
            .map(([number, words]) => `${count(number)} ${words}`)
            .join(", ")}
        </span>
      </h2>
      <RowList agent={agent} user={user} rows={rows} selected={selected} />
    </>
  );
}

/** Someone the agent has never met has a prompt all the same: the one of their first turn. */
function Unknown({ side, users }: { readonly side: Side; readonly users: AgentUsersAnswer | undefined }) {
  if (side.kind !== "now" || side.user === undefined || !users || users.more || users.users.includes(side.user))
    return null;
  return (
    <p className="mb-3 text-sm text-soft">
      No user “<bdi>{side.user}</bdi>” yet. This is the prompt of their first turn.
    </p>
  );
}

const nameOf = (side: Side) => (side.kind === "now" ? side.user : undefined);

const lacking = "Not enough of them yet. Take a turn or two in the chat.";

function userOf(side: Side, { turn }: ReadSide): string | undefined {
  return side.kind === "now" ? side.user : turn?.scope.user;
}

function stepIn(text: string | undefined): number | undefined {
  const step = Number(text);
  return Number.isInteger(step) && step > 0 ? step : undefined;
}
