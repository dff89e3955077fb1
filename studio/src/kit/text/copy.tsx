import { useState } from "react";
import { Button } from "../button.tsx";

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
