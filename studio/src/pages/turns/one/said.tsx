import type { TurnAnswer } from "charter/answers";
import type { ReactNode } from "react";
import { Card } from "../../../app/page.tsx";
import { ToUser } from "../../../billing/links.tsx";
import { LongText } from "../../../kit/text/long-text.tsx";

const noReply: Readonly<Record<TurnAnswer["state"], string>> = {
  answered: "The reply has no text.",
  running: "The turn is running.",
  failed: "There was no reply.",
  interrupted: "There was no reply. What is on record of the turn is below.",
  erased: "It was erased.",
};

/** What was asked, and what was answered. */
export function Said({ agent, facts }: { readonly agent: string; readonly facts: TurnAnswer }) {
  const { input, reply, scope, state } = facts;
  return (
    <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
      <Words title={<ToUser agent={agent} user={scope.user} />}>
        {input === "" ? <p className="text-soft">No text.</p> : <LongText text={input} />}
      </Words>
      <Words title={<bdi className="[overflow-wrap:anywhere]">{scope.agent}</bdi>}>
        {reply === null || reply === "" ? <p className="text-soft">{noReply[state]}</p> : <LongText text={reply} />}
      </Words>
    </div>
  );
}

function Words({ title, children }: { readonly title: ReactNode; readonly children: ReactNode }) {
  return (
    <Card className="min-w-0">
      <p className="mb-1 text-sm text-soft">{title}</p>
      <div className="text-[0.9375rem]">{children}</div>
    </Card>
  );
}
