import type { MeAnswer } from "charter/answers";
import { ChevronDown } from "lucide-react";
import { useApi } from "../../api/query-client.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import type { Wanted } from "../../assembly/assembled.ts";
import { Field, Input, Select } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { useWide } from "../../kit/window.ts";

type ControlsProps = {
  readonly wanted: Wanted;
  readonly about: { readonly channels: readonly string[]; readonly edition: string } | undefined;
  /** Time and edition can be tried out: not where it is shown what goes out now. */
  readonly whatIf: boolean;
  readonly change: (change: Readonly<Record<string, string | undefined>>) => void;
};

/** For whom, where, when, and how much of it. On a telephone it is said in a line until one wants to change it. */
export function Controls(props: ControlsProps) {
  if (useWide(640)) return <Fields {...props} />;
  return (
    <details className="group">
      <summary className="flex min-h-9 list-none items-center justify-between gap-2 text-sm [&::-webkit-details-marker]:hidden">
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <span className="text-soft">For</span> <bdi>{inWords(props)}</bdi>
        </span>
        <Icon of={ChevronDown} className="size-4 text-soft group-open:rotate-180" />
      </summary>
      <Fields {...props} />
    </details>
  );
}

function inWords({ wanted: { user, channel, at, edition }, about }: ControlsProps): string {
  const when = at === undefined ? "now" : localTime(at).replace("T", " ");
  return [
    user ?? "no specific user",
    channel ?? "no channel",
    when,
    `${edition ?? about?.edition ?? "full"} edition`,
  ].join(" · ");
}

function Fields({ wanted, about, whatIf, change }: ControlsProps) {
  const me = useApi<MeAnswer>("/me").data?.user;
  const { agent, user, channel, edition } = wanted;
  const channels = new Set([...(about?.channels ?? []), ...(channel === undefined ? [] : [channel])]);
  return (
    <div className="grid grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4">
      <UserChoice
        agent={agent}
        user={user}
        also={me ? [me] : []}
        nobody="No specific user"
        onUser={(next) => change({ user: next })}
      />
      <Field label="Channel">
        <Select value={channel ?? ""} onChange={({ target }) => change({ channel: target.value })}>
          <option value="">{whatIf ? "none" : "the conversation’s"}</option>
          {[...channels].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
      </Field>
      {whatIf && (
        <>
          <Field label="Time (empty: now)">
            <Input
              type="datetime-local"
              value={localTime(wanted.at)}
              onChange={({ target }) => change({ at: instant(target.value) })}
            />
          </Field>
          <Field label="Edition">
            <Select value={edition ?? ""} onChange={({ target }) => change({ edition: target.value })}>
              <option value="">by what fits{about ? `: ${about.edition}` : ""}</option>
              <option value="full">full</option>
              <option value="compact">compact</option>
            </Select>
          </Field>
        </>
      )}
    </div>
  );
}

/** What the address asks the prompt for. What means nothing is not asked. */
export function wantedOf(agent: string, asked: (key: string) => string | undefined): Wanted {
  const edition = asked("edition");
  const tokens = asked("tokens");
  return {
    agent,
    user: asked("user"),
    channel: asked("channel"),
    at: asked("at"),
    edition: edition === "full" || edition === "compact" ? edition : undefined,
    tokens: tokens !== undefined && /^\d{1,9}$/.test(tokens) ? Number(tokens) : undefined,
  };
}

/** An instant as a field for a date and a time has it, in the zone of whoever looks. */
export function localTime(at: string | undefined): string {
  const when = at === undefined ? undefined : new Date(at);
  if (when === undefined || Number.isNaN(when.getTime())) return "";
  return new Date(when.getTime() - when.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function instant(local: string): string | undefined {
  const when = new Date(local);
  return local === "" || Number.isNaN(when.getTime()) ? undefined : when.toISOString();
}

/** One step of the limit: fine enough to see each change, coarse enough to get somewhere by keys. */
export function stepFor(least: number, whole: number): number {
  const wish = (whole - least) / 200;
  return [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000].findLast((step) => step <= wish) ?? 1;
}
