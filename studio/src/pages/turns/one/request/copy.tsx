import { useState } from "react";
import { Button } from "../../../../kit/button.tsx";

/** Puts a text on the clipboard as it is; a browser that does not allow it says so. */
export function Copy({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
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
    <Button kind="quiet" onClick={copy} onBlur={() => setResult(undefined)}>
      <span aria-live="polite">
        {result === "copied" ? "Copied" : result === "refused" ? "The browser does not allow it" : label}
      </span>
    </Button>
  );
}
