import { useState } from "react";
import { Button } from "../../../kit/button.tsx";

/** Puts a text on the clipboard as it is; a browser that does not allow it says so. */
export function Copy({ text }: { readonly text: string }) {
  const [became, setBecame] = useState<"copied" | "refused">();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setBecame("copied");
    } catch {
      setBecame("refused");
    }
  };
  return (
    <Button kind="quiet" onClick={copy} onBlur={() => setBecame(undefined)}>
      <span aria-live="polite">
        {became === "copied" ? "Copied" : became === "refused" ? "Not allowed here" : "Copy"}
      </span>
    </Button>
  );
}
