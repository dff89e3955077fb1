import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { Button } from "./field.tsx";

/** A link within words. It is underlined: by its colour alone not everyone would find it. */
export function TextLink({
  href,
  dir,
  inTabOrder = true,
  children,
}: {
  readonly href: string;
  readonly dir?: "auto";
  readonly inTabOrder?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Link
      href={href}
      {...(dir === undefined ? {} : { dir })}
      {...(inTabOrder ? {} : { tabIndex: -1 })}
      className="text-accent underline decoration-accent/40 underline-offset-2 [overflow-wrap:anywhere] hover:decoration-accent"
    >
      {children}
    </Link>
  );
}

/** The beginning of a long id or key. The whole of it is its title, and what is copied when it is pressed. */
export function ShortCode({ what, code, keep = 8 }: ShortCodeProps) {
  const [became, setBecame] = useState<"copied" | "refused">();
  const copy = () => {
    // Only a page that came over a safe line may write to the clipboard.
    const wrote = navigator.clipboard?.writeText(code) ?? Promise.reject(new Error("no clipboard"));
    wrote.then(
      () => setBecame("copied"),
      () => setBecame("refused"),
    );
  };
  return (
    <button
      type="button"
      title={`Copy ${what} ${code}`}
      onClick={copy}
      onBlur={() => setBecame(undefined)}
      className="min-h-6 rounded border border-transparent bg-raised px-1.5 font-mono text-[0.86em] hover:border-line"
    >
      <span className="sr-only">Copy {what} </span>
      <span aria-live="polite">
        {became === "copied" ? "copied" : became === "refused" ? "not allowed here" : `${code.slice(0, keep)}…`}
      </span>
    </button>
  );
}

type ShortCodeProps = {
  /** What it is, as in “event”. */
  readonly what: string;
  readonly code: string;
  /** How many characters of it are shown. */
  readonly keep?: number;
};

type CopyProps = {
  readonly text: string;
  readonly label?: string;
  /** What is copied, for whoever hears the label alone. */
  readonly what?: string;
  readonly className?: string;
};

/** Puts a text on the clipboard as it is; a browser that does not allow it says so. */
export function Copy({ text, label = "Copy", what, className = "" }: CopyProps) {
  const [result, setResult] = useState<"copied" | "refused">();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setResult("copied");
    } catch {
      setResult("refused");
    }
  };
  return (
    <Button kind="quiet" className={className} onClick={copy} onBlur={() => setResult(undefined)}>
      <span aria-live="polite">
        {result === "copied" ? "Copied" : result === "refused" ? "The browser does not allow it" : label}
        {result === undefined && what !== undefined && <span className="sr-only"> {what}</span>}
      </span>
    </Button>
  );
}
