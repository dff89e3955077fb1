import { type ReactNode, useEffect, useRef } from "react";
import type { ApiProblem } from "../../kit/door.ts";
import { isDemoDocument } from "../../kit/window.ts";
import { agentLabel, useFacts } from "../api/read.ts";

type PageProps = {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children: ReactNode;
};

/** A page beside the conversation: what it is, in a sentence, and what is on it. The tab is named after the agent. */
export function Page({ title, about, children }: PageProps) {
  const label = agentLabel(useFacts());
  useEffect(() => {
    document.title = `${title} · ${label}`;
  }, [title, label]);
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys.
      tabIndex={0}
      aria-label={title}
      className="min-h-0 flex-1 overflow-y-auto focus-visible:outline-offset-[-2px]"
    >
      <div className="mx-auto w-full max-w-2xl px-4 pt-6 pb-16 sm:px-6 sm:pt-10">
        <div className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          <div className="min-w-0 flex-[1_1_16rem]">
            <h1 className="font-semibold text-2xl tracking-tight">{title}</h1>
            {about && <p className="mt-1 text-pretty text-soft">{about}</p>}
          </div>
        </div>
        {children}
      </div>
    </section>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="rounded-xl border border-line border-dashed px-6 py-10 text-center">
      <p className="font-medium">{title}</p>
      {children && <p className="mx-auto mt-1 max-w-prose text-pretty text-sm text-soft">{children}</p>}
    </div>
  );
}

export function Loading() {
  return (
    <p role="status" className="py-4 text-sm text-soft">
      Loading…
    </p>
  );
}

export function Card({ children, label }: { readonly children: ReactNode; readonly label?: string }) {
  return (
    <section {...(label ? { "aria-label": label } : {})} className="rounded-xl border border-line bg-card p-4 sm:p-5">
      {children}
    </section>
  );
}

type TroubleProps = { readonly problem: ApiProblem | undefined; readonly again?: () => void };

/** What did not work, if anything did not, and what to do. */
export function Trouble({ problem, again }: TroubleProps) {
  if (!problem) return null;
  const { refusals, hint } = problem.error;
  return (
    <div role="alert" className="rounded-xl border border-bad/40 bg-card px-4 py-3 text-sm [overflow-wrap:anywhere]">
      {Array.isArray(refusals) && refusals.length > 0 ? (
        <Refusals of={refusals as readonly Refusal[]} />
      ) : (
        <>
          <p className="text-bad">{problem.message}</p>
          {hint && !hint.includes("`") && <p className="text-soft">{hint}</p>}
        </>
      )}
      {again && (
        <button type="button" onClick={again} className="mt-1 font-medium text-accent underline">
          Try again
        </button>
      )}
    </div>
  );
}

/** Every objection to a change, in plain words; how the server says it stands below. */
export function Refusals({ of }: { readonly of: readonly Refusal[] }) {
  return (
    <ul className="space-y-2">
      {of.map((one) => (
        <li key={one.guard + one.because}>
          <p className={one.holds ? "text-wait" : "text-bad"}>{plainRefusal(one)}</p>
          <p dir="auto" className="text-soft text-xs">
            {one.because}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** An objection to a change, by the check that has it. */
export type Refusal = { readonly guard: string; readonly because: string; readonly holds?: true | undefined };

/** What each check minds, said to someone who has never heard of it. */
const plain: Readonly<Record<string, string>> = {
  frozen: "Nothing can be changed at the moment. Whoever runs the assistant has paused changes.",
  "allowed-hand": "You cannot change this text.",
  "stale-revision": "The text was changed elsewhere in the meantime.",
  "well-formed":
    "There are characters in it that cannot be saved, such as invisible ones, or a code block without an end.",
  "no-forgery": "A line in it looks like a part of the assistant’s own setup. Use plain lines, or headings with ###.",
  "no-override": "It tells the assistant to ignore its other rules. That cannot be saved.",
  room: "It is too long: there is no room left for it.",
  "size-limit": "It is too long or too short.",
  "protected-opening": "The beginning of this text cannot be changed.",
  "approved-by": "Whoever runs the assistant has to look at this change first.",
  "reaches-others": "Everybody reads this text, so whoever runs the assistant has to look at this change first.",
  "second-opinion": "Whoever runs the assistant has to look at this change first.",
  revision: "There is no such earlier version.",
};

export function plainRefusal({ guard, because }: Refusal): string {
  // Which text it is because of is known only where it was held, and is said in plain words there.
  if (guard === "needs-approval") return because;
  return plain[guard] ?? "This change was not accepted.";
}

type ModalProps = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
};

/** A question above the page. The browser keeps the focus in it; Escape and a click beside it close it. */
export function Modal({ open, onClose, title, children }: ModalProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !box.current?.open) box.current?.showModal();
    if (!open) box.current?.close();
  }, [open]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too.
    <dialog
      ref={box}
      aria-label={title}
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
      className="m-auto w-[calc(100vw-2rem)] max-w-md rounded-2xl border border-line bg-paper p-0 shadow-2xl backdrop:bg-black/40"
    >
      {open && (
        <div className="p-5">
          <h2 className="mb-2 font-semibold text-lg tracking-tight">{title}</h2>
          {children}
        </div>
      )}
    </dialog>
  );
}

/** Above every view of a demo: that it is one. Elsewhere there is nothing to say. */
export function WithDemoNote({ children }: { readonly children: ReactNode }) {
  if (!isDemoDocument()) return children;
  return (
    <div className="flex h-full flex-col">
      <aside aria-label="Demo" className="border-line border-b bg-raised px-4 py-1.5 text-center text-sm">
        <strong>Demo.</strong> Everything here is made up, and a script answers. Nothing leaves this machine.
      </aside>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
    </div>
  );
}

/** Times as the reader's own browser says them: by this device's clock, or by that of a zone. */
type Zone = string | undefined;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions, zone: Zone): Intl.DateTimeFormat {
  const key = JSON.stringify([options, zone]);
  const known =
    formats.get(key) ?? new Intl.DateTimeFormat(undefined, { ...options, ...(zone ? { timeZone: zone } : {}) });
  formats.set(key, known);
  return known;
}

const clock = { hour: "2-digit", minute: "2-digit" } as const;
const near = { weekday: "short", day: "numeric", month: "short" } as const;
const far = { day: "numeric", month: "short", year: "numeric" } as const;

/** “14:05” today, “Tue 3 Mar, 14:05” around it, with the year further away. */
export function whenText(
  at: string,
  { now = new Date(), zone }: { readonly now?: Date; readonly zone?: Zone } = {},
): string {
  const when = new Date(at);
  const time = format(clock, zone).format(when);
  const day = (date: Date) => format(far, zone).format(date);
  if (day(when) === day(now)) return time;
  const isNear = Math.abs(when.getTime() - now.getTime()) < 180 * 86_400_000;
  return `${isNear ? format(near, zone).format(when) : day(when)}, ${time}`;
}

/** Which stretch of time a conversation belongs to, as lists are parted. */
export function ageText(at: string, now = new Date()): string {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  const days = (start.getTime() - new Date(at).getTime()) / 86_400_000;
  if (days <= 0) return "Today";
  if (days <= 1) return "Yesterday";
  return days <= 7 ? "Last 7 days" : "Earlier";
}

/** Where this device is. */
export const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
