import type { SectionAnswer } from "charter/answers";
import { Lock } from "lucide-react";
import { useState } from "react";
import { Card } from "../../app/page.tsx";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { LongText } from "../../kit/text/long-text.tsx";
import { sizeOf } from "./section-row.tsx";

/** Words nobody changes: they, their digest, and why. */
export function FixedWords({ section: { text, digest } }: { readonly section: SectionAnswer }) {
  return (
    <>
      <Card className="flex gap-3 border-transparent bg-fixed-tint!">
        <Icon of={Lock} className="mt-0.5 size-5 text-fixed-ink" />
        <div className="min-w-0 text-sm">
          <p className="font-medium text-fixed-ink">
            Read-only: nobody can change this text while the agent runs, neither agent, user nor operator.
          </p>
          <p className="mt-0.5 text-fixed-ink">
            It is part of the charter and in every prompt, complete and unchanged. Its digest is pinned in{" "}
            <code>charter.lock</code>: a new version of the charter with other text is refused until someone has
            reviewed <code>charter lock --diff</code>.
          </p>
          {digest && <Digest digest={digest} />}
        </div>
      </Card>
      <Card>
        <p className="mb-2 text-soft text-xs">{sizeOf(text ?? "")}</p>
        <LongText text={text ?? ""} max={20_000} className="font-mono text-[0.86em] leading-relaxed" />
      </Card>
    </>
  );
}

function Digest({ digest }: { readonly digest: string }) {
  const [copied, setCopied] = useState<boolean>();
  const copy = () => {
    // Only a page that came over a safe line may write to the clipboard; elsewhere the words can be marked by hand.
    const wrote = navigator.clipboard?.writeText(digest) ?? Promise.reject(new Error("no clipboard"));
    wrote.then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="text-fixed-ink text-xs">SHA-256</span>
      <code className="select-all text-fixed-ink [overflow-wrap:anywhere]">{digest}</code>
      <Button onClick={copy}>Copy digest</Button>
      <span role="status" className="text-fixed-ink text-xs">
        {copied === undefined
          ? ""
          : copied
            ? "Copied."
            : "This browser does not allow copying here. Select the text instead."}
      </span>
    </div>
  );
}
