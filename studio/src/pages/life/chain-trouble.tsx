import { encodeName, sendJson } from "../../api/request.ts";
import { useAct } from "../../app/form-dialog.tsx";
import { Trouble } from "../../app/page.tsx";
import { saidWith } from "../../app/place.ts";
import { Button } from "../../kit/field.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { counterpartKey } from "../../kit/words.ts";
import type { Chain } from "./chain-words.ts";

/** Replies that are not on the chain, the first of each kind, with the reason and what can be done. */
export function ChainTrouble({
  agent,
  chain: { failed, held, stuck },
  onDone,
}: {
  readonly agent: string;
  readonly chain: Chain;
  readonly onDone: (says: string) => void;
}) {
  if (failed.length + held.length + stuck.length === 0) return null;
  return (
    <section aria-label="Replies that are not on the chain">
      <h2 className="mb-1 font-semibold text-lg">Replies that are not on the chain</h2>
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card text-sm [overflow-wrap:anywhere]">
        {failed.map(({ reply, message, to, reason }) => (
          <li key={reply} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
            <p className="min-w-0 flex-1">
              <Stopped agent={agent} to={to} word="failed" tone="text-bad" />{" "}
              <bdi>{reason ?? "No reason is known."}</bdi>
            </p>
            <Again agent={agent} message={message} to={to} onDone={onDone} />
          </li>
        ))}
        {held.map(({ reply, to, reason }) => (
          <li key={reply} className="px-4 py-2.5">
            <Stopped agent={agent} to={to} word="waits" tone="text-wait" />{" "}
            <bdi>{reason ?? "It waits until it costs less."}</bdi>
          </li>
        ))}
        {stuck.map(({ reply, to }) => (
          <li key={reply} className="px-4 py-2.5">
            <Stopped agent={agent} to={to} word="is late" tone="text-wait" /> It was sent more than ten minutes ago, and
            no block has taken it yet. More is offered for it, up to the limits.
          </li>
        ))}
      </ul>
    </section>
  );
}

function Stopped({ agent, to, word, tone }: StoppedProps) {
  return (
    <>
      To{" "}
      <TextLink href={saidWith(agent, counterpartKey(to))} dir="auto">
        {to}
      </TextLink>
      : <strong className={`font-medium ${tone}`}>{word}.</strong>
    </>
  );
}

type StoppedProps = {
  readonly agent: string;
  readonly to: string;
  readonly word: string;
  readonly tone: "text-bad" | "text-wait";
};

function Again({ agent, message, to, onDone }: AgainProps) {
  const { busy, problem, run } = useAct();
  const retry = async () => {
    const path = `/agents/${encodeName(agent)}/inbox/${encodeName(message)}/retry`;
    if (await run(() => sendJson(path))) onDone(`The reply to “${to}” is sent again.`);
  };
  return (
    <>
      <Button disabled={busy} aria-label={`Send again: the reply to ${to}`} onClick={retry}>
        Send again
      </Button>
      {problem && <Trouble problem={problem} />}
    </>
  );
}

type AgainProps = {
  readonly agent: string;
  readonly message: string;
  readonly to: string;
  readonly onDone: (says: string) => void;
};
