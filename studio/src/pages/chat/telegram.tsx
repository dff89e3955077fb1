import { useState } from "react";
import { ApiProblem, encodeName, sendJson } from "../../api/request.ts";
import { Loading, Trouble } from "../../app/page.tsx";
import { Button } from "../../kit/field.tsx";
import { Dialog } from "../../kit/menu.tsx";
import { timeText } from "../../kit/words.ts";
import type { Whom } from "./talk.ts";

type Code = { readonly code: string; readonly expiresAt: string; readonly url?: string };

/** Links a Telegram chat to the user one speaks as: a code that is good once. */
export function Telegram({ agent, user }: Whom) {
  const [open, setOpen] = useState(false);
  const [code, setCode] = useState<Code>();
  const [problem, setProblem] = useState<ApiProblem>();
  const make = async () => {
    setOpen(true);
    setCode(undefined);
    setProblem(undefined);
    try {
      setCode(await sendJson<Code>(`/agents/${encodeName(agent)}/links`, { channel: "telegram", user }));
    } catch (failed) {
      if (!(failed instanceof ApiProblem)) throw failed;
      setProblem(failed);
    }
  };
  return (
    <>
      <Button kind="quiet" className="@max-lg:px-2" onClick={make}>
        <span>
          <span className="@max-lg:sr-only">Link </span>Telegram
        </span>
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`Link a Telegram chat to ${user}`}>
        {problem ? <Trouble problem={problem} again={make} /> : code ? <How agent={agent} {...code} /> : <Loading />}
      </Dialog>
    </>
  );
}

function How({ agent, code, expiresAt, url }: Code & { readonly agent: string }) {
  const command = <code className="select-all rounded bg-raised px-1.5 py-0.5">/link {code}</code>;
  return (
    <div className="space-y-3 text-sm">
      {url?.startsWith("https://t.me/") ? (
        <p>
          <a href={url} target="_blank" rel="noopener noreferrer" className="font-medium text-accent underline">
            Open Telegram
          </a>{" "}
          to link it, or send the bot {command}.
        </p>
      ) : (
        <>
          <p>
            No bot of {agent} runs in this server. One that runs elsewhere (<code>charter work</code>) takes {command}.
          </p>
          <p className="text-soft">
            To set one up, start Charter with <code>TELEGRAM_BOT_TOKEN</code>: see <code>docs/telegram.md</code>.
          </p>
        </>
      )}
      <p className="text-soft">The code can be used once, until {timeText(expiresAt)}.</p>
    </div>
  );
}
