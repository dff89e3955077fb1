import type { MeAnswer } from "charter/answers";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { UserChoice } from "../../app/user-choice.tsx";
import type { Wanted } from "../../assembly/assembled.ts";
import { Field, Input, Select } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { useWide } from "../../kit/window.ts";
import { instant, localTime } from "./asked.ts";

type ControlsProps = {
  readonly wanted: Wanted;
  readonly about: { readonly channels: readonly string[]; readonly edition: string } | undefined;
  /** Time and edition can be tried out: not where it is shown what goes out now. */
  readonly whatIf: boolean;
  readonly change: (change: Readonly<Record<string, string | undefined>>) => void;
};

/** For whom, where, when, and how much of it. On a telephone it is said in a line until one wants to change it. */
export function Controls(props: ControlsProps) {
  const wide = useWide(640);
  const [open, setOpen] = useState(false);
  if (wide) return <Fields {...props} />;
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-9 w-full items-center justify-between gap-2 text-start text-sm"
      >
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <span className="text-soft">For</span> <bdi>{inWords(props)}</bdi>
        </span>
        <span aria-hidden="true" className="text-soft">
          <Icon of={open ? ChevronUp : ChevronDown} />
        </span>
      </button>
      {open && <Fields {...props} />}
    </>
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
