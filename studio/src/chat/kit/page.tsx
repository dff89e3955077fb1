import { type ReactNode, useEffect } from "react";
import { agentLabel, useFacts } from "../api/page-facts.ts";

/** A page beside the conversation: what it is, in a sentence, and what is on it. The tab is named after the agent. */
export function Page({
  title,
  about,
  action,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
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
          {action}
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
