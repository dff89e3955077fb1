import type { TrialAnswer } from "charter/answers";
import { useDeferredValue, useEffect, useState } from "react";
import { Link } from "wouter";
import { encodeName, sendJson, type Whose } from "../api/request.ts";
import { useAct } from "../app/form-dialog.tsx";
import { Trouble } from "../app/page.tsx";
import { placeOf } from "../app/place.ts";
import { Button, Field, Input } from "../kit/field.tsx";
import { LongList } from "../kit/list.tsx";
import { DiffView } from "../kit/text/diff.tsx";
import { LongText } from "../kit/text/long-text.tsx";
import { count, dollars, plural, timeText } from "../kit/words.ts";
import type { Amending } from "./use-amending.ts";
import { type Judged, VerdictPanel } from "./verdict.tsx";

type SavePanelProps = {
  readonly whose: Whose;
  readonly section: string;
  readonly amending: Amending;
  readonly judged: Judged;
};

/** Before saving: what the checks say, what it costs, what would change, and why one does it. */
export function SavePanel({ whose, section, amending, judged }: SavePanelProps) {
  const { stands, text, typing, unsaved, busy, locked } = amending;
  const shown = useDeferredValue(text);
  const { verdict, checking } = judged;
  // Where no event tells that the section has changed, the guards do.
  const newer = verdict?.kind === "stale" && verdict.stands.revision > stands.revision ? verdict.stands : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each revision that is news.
  useEffect(() => {
    if (newer) void amending.learn(newer);
  }, [newer?.revision]);
  const refused = verdict?.kind === "refused" && !checking;
  const unchanged = verdict?.kind === "unchanged" && !checking;
  const next = stands.revision + 1;
  return (
    <>
      <VerdictPanel judged={judged} next={next} />
      <TryPanel whose={whose} section={section} text={text} />
      <section aria-label="Changes">
        <h3 className="mb-1 font-medium text-soft text-xs">
          Changes{typing === "stale" && ` compared with revision ${stands.revision}`}
        </h3>
        <DiffView before={stands.text} after={shown} max={40} className="bg-card" />
      </section>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          amending.save();
        }}
      >
        <Field label="Reason (kept in the history)" className="min-w-56 flex-1">
          <Input
            dir="auto"
            placeholder="optional"
            value={unsaved?.reason ?? ""}
            onChange={({ target }) => amending.giveReason(target.value)}
          />
        </Field>
        <Button type="submit" kind="primary" disabled={busy || locked || refused || unchanged}>
          {busy
            ? "Saving…"
            : typing === "stale"
              ? "Choose a text first"
              : unchanged
                ? "Nothing to save"
                : verdict?.kind === "held"
                  ? "Propose"
                  : `Save as revision ${next}`}
        </Button>
        <Button onClick={amending.discard}>Discard</Button>
      </form>
      <p className="text-soft text-xs">
        {refused
          ? "Not saved. Fix what is named above; your text is kept in this browser."
          : "Not saved yet. Your text is kept in this browser, even after a reload or sign-out."}{" "}
        <Link href={placeOf(whose.agent, "prompt", undefined, { user: whose.user, section })} className="underline">
          See the current prompt
        </Link>
      </p>
    </>
  );
}

type TryProps = { readonly whose: Whose; readonly section: string; readonly text: string };

type Trial = { readonly text: string; readonly told: TrialAnswer };

/** So many of the newest turns are made again. */
const turns = 50;

/**
 * Before an edit is saved: the first requests of the newest turns as if the section had said so since their sessions began.
 * A model is asked only after one has seen what that costs.
 */
function TryPanel({ whose, section, text }: TryProps) {
  const [trial, setTrial] = useState<Trial>();
  const [asked, setAsked] = useState<{ readonly text: string; readonly answer: TrialAnswer["answer"] }>();
  const [quoted, setQuoted] = useState<string>();
  const [asking, setAsking] = useState(false);
  const { busy, problem, run } = useAct();
  const ask = (turn?: string) => {
    setAsking(turn !== undefined);
    return run(async () => {
      const path = `/agents/${encodeName(whose.agent)}/sections/${encodeName(section)}/trial`;
      const body = { user: whose.user, content: text, turns: turn === undefined ? turns : 1, ask: turn };
      const told = await sendJson<TrialAnswer>(path, body);
      if (turn === undefined) setTrial({ text, told });
      else setAsked({ text, answer: told.answer });
      setQuoted(undefined);
    });
  };
  const old = trial !== undefined && trial.text !== text;
  return (
    <section aria-label="Try it" className="space-y-2 rounded-lg border border-line bg-card p-3 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-medium text-soft text-xs">Try it on past turns</h3>
        <Button className="ms-auto" disabled={busy} onClick={() => void ask()}>
          {busy && !asking ? "Making them again…" : trial ? "Try again" : "Try it"}
        </Button>
      </div>
      <Trouble problem={problem} />
      {trial && (
        <div className={old ? "opacity-60" : ""}>
          {old && <p className="text-wait">About the words before your last change.</p>}
          <Sums told={trial.told} />
          <LongList
            items={trial.told.turns}
            label="Past turns with these words"
            first={5}
            keyOf={({ turn }) => turn}
            draw={(one) => (
              <Tried
                one={one}
                agent={whose.agent}
                quoted={quoted === one.turn}
                busy={busy || old}
                onQuote={() => setQuoted(one.turn)}
                onAsk={() => void ask(one.turn)}
              />
            )}
          />
        </div>
      )}
      {busy && asking && <p role="status">The model is asked…</p>}
      {asked?.answer && <Answers answer={asked.answer} />}
    </section>
  );
}

function Sums({ told }: { readonly told: TrialAnswer }) {
  const { before, after, over, same, cut } = sumOf(told.turns);
  return (
    <div className="space-y-0.5">
      <p>
        {plural(told.turns.length, "first request")} made again: {count(before.tokens)} →{" "}
        <strong className="tabular-nums">{count(after.tokens)}</strong> tokens
        {same > 0 && <span className="text-soft"> ({count(same)} unchanged)</span>}
      </p>
      {after.cold !== null && before.cold !== null && after.warm !== null && before.warm !== null && (
        <p className="text-soft tabular-nums">
          {dollars(before.cold)} → {dollars(after.cold)} with nothing cached, {dollars(before.warm)} →{" "}
          {dollars(after.warm)} with all that can be
        </p>
      )}
      {over > 0 && <p className="text-bad">{plural(over, "request")} would be longer than it may be.</p>}
      {cut > 0 && <p className="text-soft">{plural(cut, "request")} was trimmed to fit; what was cut is not kept.</p>}
      {told.missing.map(({ because, turns }) => (
        <p key={because} className="text-soft">
          {plural(turns, "turn")} not made again: {reasons[because]}.
        </p>
      ))}
    </div>
  );
}

const reasons: Readonly<Record<TrialAnswer["missing"][number]["because"], string>> = {
  erased: "erased",
  "let-go": "let go, their receipts are no longer kept",
  "not-recorded": "nothing was sent in them, or not recorded whole",
  "charter-changed": "the charter has other words around this section by now",
};

type TriedProps = {
  readonly one: TrialAnswer["turns"][number];
  readonly agent: string;
  readonly quoted: boolean;
  readonly busy: boolean;
  readonly onQuote: () => void;
  readonly onAsk: () => void;
};

function Tried({ one: { turn, at, user, before, after, over }, agent, quoted, busy, onQuote, onAsk }: TriedProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 border-line border-t py-1 [overflow-wrap:anywhere]">
      <Link href={placeOf(agent, "turns", turn)} className="text-accent underline">
        {timeText(at)}
      </Link>
      {user !== null && <bdi className="text-soft">{user}</bdi>}
      <span className="tabular-nums">
        {count(before.tokens)} → {count(after.tokens)}
      </span>
      {over && (
        <span className="text-bad">
          {count(over.by)} {over.unit} over the {over.what}’s limit of {count(over.limit)}
        </span>
      )}
      {quoted ? (
        <span className="ms-auto flex flex-wrap items-center gap-2">
          {after.cold === null ? "The price is not known." : `About ${dollars(after.cold)}, and the answer.`}
          <Button kind="primary" disabled={busy} onClick={onAsk}>
            Yes, ask
          </Button>
        </span>
      ) : (
        <Button kind="quiet" className="ms-auto" disabled={busy} onClick={onQuote}>
          Ask the model…
        </Button>
      )}
    </div>
  );
}

/** What was said then, and what would have been. */
function Answers({ answer }: { readonly answer: NonNullable<TrialAnswer["answer"]> }) {
  const { model, recorded, tried, cost } = answer;
  return (
    <div>
      <p className="text-soft">
        <bdi>{model}</bdi>
        {cost !== null && `, ${dollars(cost)}`}: nothing it calls is run.
      </p>
      <div className="grid gap-2 @xl:grid-cols-2">
        <Said title="Recorded" said={recorded} />
        <Said title="With these words" said={tried} />
      </div>
    </div>
  );
}

type SaidProps = { readonly title: string; readonly said: NonNullable<TrialAnswer["answer"]>["recorded"] };

function Said({ title, said }: SaidProps) {
  return (
    <section aria-label={title} className="min-w-0 rounded border border-line p-2">
      <h4 className="font-medium text-soft text-xs">{title}</h4>
      {said === null ? (
        <p className="text-soft">No answer is on record.</p>
      ) : (
        <>
          {said.text !== "" && <LongText text={said.text} />}
          {said.calls.map(({ name, input }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a call is its place.
            <p key={at} className="font-mono text-xs [overflow-wrap:anywhere]">
              calls {name} {input}
            </p>
          ))}
        </>
      )}
    </section>
  );
}

type Turn = TrialAnswer["turns"][number];

/** What all requests come to, before and after; a price is known where all of theirs are. */
export function sumOf(turns: readonly Turn[]) {
  const sum = (of: (turn: Turn) => Turn["before"]) => ({
    tokens: turns.reduce((all, turn) => all + of(turn).tokens, 0),
    cold: known(turns.map((turn) => of(turn).cold)),
    warm: known(turns.map((turn) => of(turn).warm)),
  });
  return {
    before: sum(({ before }) => before),
    after: sum(({ after }) => after),
    over: turns.filter(({ over }) => over !== null).length,
    same: turns.filter(({ changed }) => !changed).length,
    cut: turns.filter(({ cut }) => cut).length,
  };
}

function known(prices: readonly (number | null)[]): number | null {
  return prices.reduce<number | null>((all, one) => (all === null || one === null ? null : all + one), 0);
}
