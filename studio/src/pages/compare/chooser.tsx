import type { TurnAnswer } from "charter/answers";
import { X } from "lucide-react";
import { Link } from "wouter";
import { placeOf } from "../../app/place.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import { Button, Field, Select } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { count, timeText } from "../../kit/words.ts";
import { turnText } from "./row-list.tsx";
import type { NowSide, ReadSide, Side, TurnSide } from "./side.ts";

type Choosing<One extends Side> = {
  readonly agent: string;
  readonly side: One;
  readonly read: ReadSide;
  readonly turns: readonly TurnAnswer[];
  readonly onSide: (side: Side) => void;
  readonly onStep: (step: string) => void;
};

/** What stands on one side. */
export function Chooser({ label, ...choosing }: Choosing<Side> & { readonly label: "Left" | "Right" }) {
  const { agent, side, turns, onSide } = choosing;
  const first = turns[0];
  return (
    <fieldset className="min-w-0 rounded-lg border border-line bg-card px-3 pt-1 pb-3">
      <legend className="px-1 text-soft text-xs">
        {label} ·{" "}
        <Link href={placeOfSide(agent, side)} className="text-accent underline">
          {side.kind === "turn" ? "in Activity" : "in Prompt"}
        </Link>
      </legend>
      <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
        <Field label="What" className="min-w-40 flex-1 basis-40">
          <Select
            value={side.kind}
            onChange={({ target }) => {
              if (target.value === "now") onSide({ kind: "now" });
              else if (first) onSide({ kind: "turn", turn: first.id });
            }}
          >
            <option value="now">New conversation</option>
            <option value="turn" disabled={!first && side.kind !== "turn"}>
              A turn
            </option>
          </Select>
        </Field>
        {side.kind === "turn" ? <OfTurn {...choosing} side={side} /> : <OfNow {...choosing} side={side} />}
      </div>
    </fieldset>
  );
}

function placeOfSide(agent: string, side: Side): string {
  if (side.kind === "turn") return placeOf(agent, "turns", side.turn);
  const { kind: _, ...asked } = side;
  return placeOf(agent, "prompt", undefined, asked);
}

function OfTurn({ side, read, turns, onSide, onStep }: Choosing<TurnSide>) {
  const known = turns.some(({ id }) => id === side.turn);
  const steps = read.turn?.steps ?? 0;
  return (
    <>
      <Field label="Turn" className="min-w-0 flex-[3] basis-52">
        <Select value={side.turn} onChange={({ target }) => onSide({ kind: "turn", turn: target.value })}>
          {!known && <option value={side.turn}>{read.turn ? turnText(read.turn) : side.turn}</option>}
          {turns.map((turn) => (
            <option key={turn.id} value={turn.id}>
              {turnText(turn)}
            </option>
          ))}
        </Select>
      </Field>
      {steps > 1 && (
        <Field label="Step" className="w-20">
          <Select value={read.step ?? steps} onChange={({ target }) => onStep(target.value)}>
            {Array.from({ length: steps }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a step is its number.
              <option key={index} value={index + 1}>
                {index + 1}
              </option>
            ))}
          </Select>
        </Field>
      )}
    </>
  );
}

function OfNow({ agent, side, read, onSide }: Choosing<NowSide>) {
  const { user, channel, edition, at, tokens } = side;
  const become = (change: Partial<Record<keyof NowSide, string | undefined>>) =>
    onSide(without({ ...side, ...change } as NowSide));
  const channels = [...new Set([...(read.channels ?? []), ...(channel ? [channel] : [])])];
  return (
    <>
      <UserChoice
        agent={agent}
        user={user}
        className="min-w-0 flex-1 basis-28"
        onUser={(next) => become({ user: next })}
      />
      <Field label="Channel" className="min-w-28 flex-1 basis-28">
        <Select value={channel ?? ""} onChange={({ target }) => become({ channel: target.value })}>
          <option value="">none</option>
          {channels.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
      </Field>
      <Field label="Edition" className="min-w-24 flex-1 basis-24">
        <Select value={edition ?? ""} onChange={({ target }) => become({ edition: target.value })}>
          <option value="">as it fits</option>
          <option>full</option>
          <option>compact</option>
        </Select>
      </Field>
      {at && <Taken words={`at ${timeText(at)}`} onGone={() => become({ at: undefined })} />}
      {tokens && <Taken words={`at most ${count(tokens)} tokens`} onGone={() => become({ tokens: undefined })} />}
    </>
  );
}

/** Something the address asks for besides; it can be taken away. */
function Taken({ words, onGone }: { readonly words: string; readonly onGone: () => void }) {
  return (
    <Button aria-label={`Not ${words}`} onClick={onGone}>
      {words} <Icon of={X} className="size-3.5" />
    </Button>
  );
}

function without(side: NowSide): NowSide {
  return Object.fromEntries(Object.entries(side).filter(([, value]) => value !== undefined && value !== "")) as NowSide;
}

export type Pair = { readonly left: Side; readonly right: Side };

/** What is there to choose from. `turns` newest first. */
export type Known = {
  readonly turns: readonly TurnAnswer[];
  readonly users: readonly string[];
  readonly channels: readonly string[];
  /** Whoever is asking. */
  readonly user: string | undefined;
};

type Preset = { readonly words: string; readonly pair: Pair | undefined };

/** Pairs one often wants to see; a preset for which there is not enough has no pair. */
export function presets(known: Known): readonly Preset[] {
  const { turns, users, channels, user } = known;
  const now = (more: Partial<NowSide> = {}): NowSide => ({ kind: "now", ...(user ? { user } : {}), ...more });
  const last = turns.find(({ steps, state }) => steps > 0 && state !== "erased");
  const before = last && turns.slice(turns.indexOf(last) + 1).find((one) => isBefore(one, last));
  const other = users.find((one) => one !== user);
  const [first = "web", second] = channels;
  return [
    { words: "The last turn and now", pair: last && { left: turnSide(last), right: nowAfter(last) } },
    {
      words: "A turn and the one before",
      pair: last && before && { left: turnSide(before), right: turnSide(last) },
    },
    {
      words: "Two users",
      pair: other === undefined ? undefined : { left: now(), right: { kind: "now", user: other } },
    },
    {
      words: "Two channels",
      pair: second === undefined ? undefined : { left: now({ channel: first }), right: now({ channel: second }) },
    },
    { words: "Two editions", pair: { left: now({ edition: "full" }), right: now({ edition: "compact" }) } },
  ];
}

function isBefore({ scope, steps, state }: TurnAnswer, last: TurnAnswer): boolean {
  return scope.user === last.scope.user && steps > 0 && state !== "erased";
}

const turnSide = ({ id }: TurnAnswer): Side => ({ kind: "turn", turn: id });

/** The next prompt of whoever had that turn, where they had it. */
function nowAfter({ scope: { user }, channel }: TurnAnswer): NowSide {
  return { kind: "now", ...(user === undefined ? {} : { user }), ...(channel === null ? {} : { channel }) };
}
