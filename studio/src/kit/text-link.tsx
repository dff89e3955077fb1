import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { Button } from "./field.tsx";

/** A link within words. It is underlined: by its colour alone not everyone would find it. */
export function TextLink({ inTabOrder = true, ...props }: TextLinkProps) {
  return (
    <Link
      {...props}
      {...(inTabOrder ? {} : { tabIndex: -1 })}
      className="text-accent underline decoration-accent/40 underline-offset-2 [overflow-wrap:anywhere] hover:decoration-accent"
    />
  );
}

type TextLinkProps = {
  readonly href: string;
  readonly dir?: "auto";
  readonly inTabOrder?: boolean;
  readonly children: ReactNode;
};

/** Puts words on the clipboard. Only a page that came over a safe line may: elsewhere it is said that it did not work. */
function useCopy(text: string) {
  const [result, setResult] = useState<"copied" | "refused">();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setResult("copied");
    } catch {
      setResult("refused");
    }
  };
  return { result, onClick: copy, onBlur: () => setResult(undefined) };
}

type ShortCodeProps = {
  /** What it is, as in “event”. */
  readonly what: string;
  readonly code: string;
  /** How many characters of it are shown. */
  readonly keep?: number;
};

/** The beginning of a long id or key. The whole of it is its title, and what is copied when it is pressed. */
export function ShortCode({ what, code, keep = 8 }: ShortCodeProps) {
  const { result, ...does } = useCopy(code);
  return (
    <button
      type="button"
      title={`Copy ${what} ${code}`}
      {...does}
      className="min-h-6 rounded border border-transparent bg-raised px-1.5 font-mono text-[0.86em] hover:border-line"
    >
      <span className="sr-only">Copy {what} </span>
      <span aria-live="polite">
        {result === undefined ? `${code.slice(0, keep)}…` : result === "copied" ? "copied" : "not allowed here"}
      </span>
    </button>
  );
}

type CopyProps = {
  readonly text: string;
  readonly label?: string;
  /** What is copied, for whoever hears the label alone. */
  readonly what?: string;
  readonly className?: string;
};

export function Copy({ text, label = "Copy", what, className = "" }: CopyProps) {
  const { result, ...does } = useCopy(text);
  return (
    <Button kind="quiet" className={className} {...does}>
      <span aria-live="polite">
        {result === "copied" ? "Copied" : result === "refused" ? "The browser does not allow it" : label}
        {result === undefined && what !== undefined && <span className="sr-only"> {what}</span>}
      </span>
    </Button>
  );
}
