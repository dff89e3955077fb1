import { useEffect, useState } from "react";
import { Button } from "../../kit/field.tsx";
import { useAct } from "../api/act.ts";
import { agentLabel, useFacts } from "../api/page-facts.ts";
import { refresh, useRead } from "../api/read.ts";
import { agentPath, remove, sendJson } from "../api/request.ts";
import { Card, Loading, Page } from "../kit/page.tsx";
import { Trouble } from "../kit/trouble.tsx";
import { whenText } from "../kit/when.ts";

type Links = { readonly links: readonly { readonly channel: string; readonly address: string; readonly at: string }[] };
type Code = { readonly code: string; readonly expiresAt: string; readonly url?: string };

/** The same agent in Telegram: link a chat, and unlink it. */
export function TelegramPage() {
  const facts = useFacts();
  const path = agentPath(facts.agent.name, "links");
  const { data, problem } = useRead<Links>(path);
  const making = useAct();
  const [code, setCode] = useState<Code>();
  const links = data?.links ?? [];
  const known = links.length;
  // While a code is open somebody is about to send it.
  useEffect(() => {
    if (!code) return;
    const looking = setInterval(
      () => (Date.parse(code.expiresAt) > Date.now() ? refresh() : setCode(undefined)),
      2_000,
    );
    return () => clearInterval(looking);
  }, [code]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one more chat means that the code was used.
  useEffect(() => setCode(undefined), [known]);
  const make = async () => {
    const made = await making.run(() => sendJson<Code>(path, { channel: "telegram" }));
    setCode(made?.done);
  };
  return (
    <Page
      title="Telegram"
      about={`Talk with ${agentLabel(facts)} in Telegram too. It knows you there as it does here, and sends your reminders there.`}
    >
      {problem && <Trouble problem={problem} again={refresh} />}
      {!data && !problem && <Loading />}
      <div className="space-y-4">
        {links.map((link) => (
          <LinkedChat key={link.address} path={path} {...link} />
        ))}
        {data && (
          <Card label="Link a chat">
            {code ? (
              <How {...code} />
            ) : (
              <>
                <p className="mb-3">{links.length === 0 ? "No chat is linked yet." : "You can link another chat."}</p>
                <Button kind={links.length === 0 ? "primary" : "plain"} disabled={making.busy} onClick={make}>
                  Link a chat
                </Button>
              </>
            )}
            {making.problem && <Trouble problem={making.problem} />}
          </Card>
        )}
      </div>
    </Page>
  );
}

function LinkedChat({ path, channel, address, at }: { readonly path: string } & Links["links"][number]) {
  const { busy, problem, run } = useAct();
  const names = [channel, address].map(encodeURIComponent).join("/");
  return (
    <Card label="Linked chat">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <p className="font-medium">A chat is linked</p>
          <p className="text-sm text-soft">since {whenText(at)}</p>
        </div>
        <Button disabled={busy} onClick={() => run(() => remove(`${path}/${names}`))}>
          Unlink
        </Button>
      </div>
      {problem && <Trouble problem={problem} />}
    </Card>
  );
}

function How({ code, expiresAt, url }: Code) {
  const opens = url?.startsWith("https://t.me/") ? url : undefined;
  return (
    <div className="space-y-3">
      {opens && (
        <p>
          <a
            href={opens}
            target="_blank"
            rel="noopener noreferrer"
            className="inline-flex min-h-9 items-center rounded-md bg-accent px-3 font-medium text-on-accent text-sm"
          >
            Open Telegram
          </a>
        </p>
      )}
      <p>
        {opens ? "Or send this to the bot:" : "Send this to the bot:"}{" "}
        <code className="select-all rounded bg-raised px-2 py-1">/link {code}</code>
      </p>
      <p className="text-sm text-soft">It works once, until {whenText(expiresAt)}. This page shows when it is done.</p>
    </div>
  );
}
