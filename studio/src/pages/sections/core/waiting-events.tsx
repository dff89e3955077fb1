import type { PublishAnswer } from "charter/answers";
import { useState } from "react";
import { sendJson } from "../../../api/request.ts";
import { useAct } from "../../../app/form-dialog.tsx";
import { Trouble } from "../../../app/page.tsx";
import { publicationWords } from "../../../editor/publication-words.ts";
import { Button } from "../../../kit/field.tsx";
import { ShortCode } from "../../../kit/text-link.tsx";
import { plural } from "../../../kit/words.ts";
import { MissedRelays } from "./missed-relays.tsx";
import { askCoreAgain, type CoreReport, corePath } from "./use-core.ts";

/** Changes that are saved and that no relay has taken yet: why not, and a way to try now. */
export function WaitingEvents({ agent, report }: { readonly agent: string; readonly report: CoreReport }) {
  const { busy, problem, run } = useAct();
  const [became, setBecame] = useState<string>();
  const send = async () => {
    setBecame(undefined);
    const answer = await run(() => sendJson<PublishAnswer>(`${corePath(agent)}/publish`));
    if (answer) setBecame(answer.publication ? publicationWords(answer.publication) : "Nothing waits any more.");
    askCoreAgain(agent);
  };
  return (
    <div className="space-y-2 border-line border-t bg-raised p-3 text-sm">
      {report.waiting.map(({ id, revision, tries, missed }) => (
        <div key={id} className="space-y-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <strong className="text-wait">Revision {revision} is not published yet.</strong>
            <ShortCode what="event" code={id} />
            <span className="text-soft">
              {tries > 0 && `Tried ${plural(tries, "time")}. `}It is sent again automatically.
            </span>
          </p>
          <MissedRelays missed={missed} />
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <Button disabled={busy} onClick={send}>
          {busy ? "Sending…" : "Send again"}
        </Button>
        <p role="status" className="min-w-0">
          {became}
        </p>
      </div>
      {problem && <Trouble problem={problem} />}
    </div>
  );
}
