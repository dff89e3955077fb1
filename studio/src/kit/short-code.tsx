import { useState } from "react";

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
