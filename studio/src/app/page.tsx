import { ArrowLeft, ArrowRight } from "lucide-react";
import { Component, type ReactNode, useEffect } from "react";
import type { ApiProblem } from "../api/request.ts";
import { Button } from "../kit/field.tsx";
import { Hint } from "../kit/hint.tsx";
import { Icon } from "../kit/icon.tsx";
import { count } from "../kit/words.ts";
import { titleOf, useAsked, usePlace } from "./place.ts";

/** Names the browser's tab: the page, how many things on it wait for a person, and whose it is. */
export function useTitle(title: string, waiting = 0): void {
  const { agent } = usePlace();
  const page = waiting === 0 ? title : `${title} (${count(waiting)})`;
  useEffect(() => {
    document.title = titleOf(page, agent);
  }, [page, agent]);
}

/** A page: its title, what can be done on it, what is on it. It names the browser's tab as well. */
export function Page({ title, about, hint, actions, waiting = 0, fills = false, children }: PageProps) {
  useTitle(title, waiting);
  return (
    <div
      className={`mx-auto w-full max-w-[2400px] px-4 py-4 sm:px-6 sm:py-5 ${fills ? "xl:flex xl:h-full xl:flex-col" : ""}`}
    >
      <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 flex-[1_1_20rem]">
          <div className="flex items-center gap-1">
            <h1 className="min-w-0 font-semibold text-xl tracking-tight [overflow-wrap:anywhere]">{title}</h1>
            {hint && <Hint about={title}>{hint}</Hint>}
          </div>
          {about && <p className="max-w-4xl text-pretty text-sm text-soft">{about}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

type PageProps = {
  readonly title: string;
  /** So many things on it wait for a person: the tab says so. */
  readonly waiting?: number;
  readonly about?: ReactNode;
  /** What explains the page to whoever sees it first: behind “?”. */
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
  /** It is as high as the window, where that is large: its last part takes what is left. */
  readonly fills?: boolean;
  readonly children: ReactNode;
};

export function Card({ className = "", children }: { readonly className?: string; readonly children: ReactNode }) {
  return <div className={`rounded-lg border border-line bg-card p-4 ${className}`}>{children}</div>;
}

const inks = { good: "", wait: "text-wait", bad: "text-bad" } as const;

type FigureProps = {
  readonly name: string;
  readonly value: ReactNode;
  readonly tone?: keyof typeof inks;
  readonly children: ReactNode;
};

/** One figure of a list of them: its name, the figure, and what is to be said of it. */
export function Figure({ name, value, tone = "good", children }: FigureProps) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-card px-4 py-3">
      <dt className="text-soft text-xs">{name}</dt>
      <dd className={`font-semibold text-xl tabular-nums tracking-tight [overflow-wrap:anywhere] ${inks[tone]}`}>
        {value}
      </dd>
      <dd className="text-pretty text-soft text-xs tabular-nums">{children}</dd>
    </div>
  );
}

/** There is nothing: not a failure, and it says what would change that. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="rounded-lg border border-line border-dashed p-8 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="mx-auto mt-1 max-w-prose text-sm text-soft">{children}</div>}
    </div>
  );
}

export function Loading({ what = "Loading…" }: { readonly what?: string }) {
  return (
    <p role="status" className="p-4 text-sm text-soft">
      {what}
    </p>
  );
}

type Asked<Data> = {
  readonly data: Data | undefined;
  readonly error: ApiProblem | Error | null;
  readonly refetch: () => unknown;
};

/** What was asked for, once it has come: until then that it is on its way, or why it did not come. */
export function Answered<Data>({
  of: { data, error, refetch },
  children,
}: {
  readonly of: Asked<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  return (
    <>
      <Trouble problem={error} again={() => void refetch()} />
      {data === undefined ? !error && <Loading /> : children(data)}
    </>
  );
}

type TroubleProps = {
  readonly problem: ApiProblem | Error | null | undefined;
  readonly again?: (() => void) | undefined;
};

/** What went wrong, if anything did, in the server's own words, every refusal among them, and what to do. */
export function Trouble({ problem, again }: TroubleProps) {
  if (!problem) return null;
  const error = "error" in problem ? problem.error : undefined;
  return (
    <div role="alert" className="rounded-lg border border-bad/50 bg-card p-3 text-sm">
      <p className="[overflow-wrap:anywhere]">
        <strong className="text-bad">{error?.code ?? "Something failed"}</strong> {problem.message}
      </p>
      <Refusals refusals={error?.refusals} />
      {error?.hint && <p className="text-soft">{error.hint}</p>}
      {again && (
        <button type="button" onClick={again} className="mt-1 font-medium text-accent underline">
          Try again
        </button>
      )}
    </div>
  );
}

export type Refusal = {
  readonly guard: string;
  readonly because: string;
  readonly holds?: true | undefined;
  readonly places?: readonly { readonly at: number; readonly end: number; readonly line: number }[] | undefined;
};

/** Every objection, by the guard that has it. */
export function Refusals({ refusals }: { readonly refusals?: readonly Refusal[] | undefined }) {
  if (!refusals || refusals.length === 0) return null;
  return (
    <ul className="my-1 space-y-0.5">
      {refusals.map(({ guard, because, holds }) => (
        <li key={guard + because} className="[overflow-wrap:anywhere]">
          <code className={holds ? "text-wait" : "text-bad"}>{guard}</code> {because}
        </li>
      ))}
    </ul>
  );
}

/** Which stretch of a long list is looked at, from the address: `?from=50`. */
export function useStretch(size: number): { readonly from: number; readonly limit: number; readonly offset: number } {
  const [asked] = useAsked();
  const from = Math.max(0, Math.trunc(Number(asked("from") ?? 0)) || 0);
  return { from, limit: size, offset: from };
}

type PagerProps = {
  readonly from: number;
  readonly shown: number;
  /** The rows are those of the stretch before, until this one has come: which rows they are is not said. */
  readonly isBefore: boolean;
  readonly size: number;
  readonly more: boolean;
  /** How many there are in all, where that is known. */
  readonly total?: number | undefined;
  readonly words?: readonly [before: string, after: string];
};

/** To the stretch before and after. Nothing where one page holds everything. */
export function Pager({ from, shown, isBefore, size, more, total, words = ["Newer", "Older"] }: PagerProps) {
  const [, setAsked] = useAsked();
  if (from === 0 && !more) return null;
  const go = (to: number) => setAsked({ from: to <= 0 ? undefined : String(to) }, { replace: false });
  return (
    <nav aria-label="Pages of the list" className="my-3 flex flex-wrap items-center gap-2 text-sm">
      <Button disabled={from === 0} onClick={() => go(from - size)}>
        <Icon of={ArrowLeft} /> {words[0]}
      </Button>
      <Button disabled={!more} onClick={() => go(from + size)}>
        {words[1]} <Icon of={ArrowRight} />
      </Button>
      <span className="text-soft">
        {isBefore
          ? `from ${count(from + 1)} on …`
          : shown === 0
            ? `none from ${count(from + 1)} on`
            : `${count(from + 1)}–${count(from + shown)}`}
        {total !== undefined ? ` of ${count(total)}` : more ? " and more" : ""}
      </span>
    </nav>
  );
}

type Props = {
  /** Where one is: whoever goes elsewhere has left what broke behind. */
  readonly place: string;
  readonly children: ReactNode;
};

/** A page that breaks says so in its own place; the menu and every other page go on. */
export class Boundary extends Component<Props, { readonly broken?: Error }> {
  override state: { readonly broken?: Error } = {};

  static getDerivedStateFromError(broken: Error) {
    return { broken };
  }

  override componentDidUpdate({ place }: Props) {
    if (this.state.broken && place !== this.props.place) this.setState({ broken: undefined as never });
  }

  override render() {
    const { broken } = this.state;
    if (!broken) return this.props.children;
    return (
      <div className="p-4">
        <Trouble problem={broken} again={() => this.setState({ broken: undefined as never })} />
      </div>
    );
  }
}
