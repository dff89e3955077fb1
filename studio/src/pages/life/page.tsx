import type { AgentAnswer, MessageListAnswer } from "charter/answers";
import { useCallback, useEffect, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { usePlace } from "../../app/place.ts";
import { useNow } from "../../kit/window.ts";
import { Acts } from "./acts.tsx";
import { ChainTrouble } from "./chain-trouble.tsx";
import { Figures } from "./figures.tsx";
import { RetryAll } from "./message-acts.tsx";
import { MessageList } from "./message-list.tsx";
import { ObstacleList } from "./obstacle-list.tsx";
import { type Life, obstaclesOf } from "./obstacles.ts";
import { Replies } from "./replies.tsx";
import { type Done, Told } from "./told.tsx";
import { Transitions } from "./transitions.tsx";

const maxTold = 5;

/** How an agent fares that lives by itself: what it does, what it has left, what its inbox holds. */
export default function LifePage() {
  const { agent } = usePlace();
  return <OneLife key={agent} agent={agent} />;
}

function OneLife({ agent }: { readonly agent: string }) {
  const path = `/agents/${encodeName(agent)}`;
  const about = useApi<AgentAnswer>(path);
  // Where its charter cannot be loaded, the snapshot says why.
  const lives = about.data && (about.data.needs?.includes("inbox") ?? true);
  const { data: life, error, refetch } = useApi<Life>(lives ? `${path}/snapshot` : undefined);
  const problem = about.error ?? error;
  const now = useNow();
  // A process that dies tells nobody: what no event says is looked for now and then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: by the clock.
  useEffect(() => {
    if (lives) void refetch({ cancelRefetch: false });
  }, [now, lives, refetch]);
  const [told, setTold] = useState<readonly Done[]>([]);
  const done = useCallback(
    (says: string) =>
      setTold((before) => [{ number: (before[0]?.number ?? 0) + 1, says }, ...before].slice(0, maxTold)),
    [],
  );
  return (
    <Page
      title="Life"
      about={`“${agent}” answers messages and runs turns on its own. This page shows what it is doing, its remaining budget, and the waiting messages.`}
      actions={life && <Acts life={life} now={now} onDone={done} />}
    >
      <Told told={told} />
      {problem && <Trouble problem={problem} again={() => void (about.error ? about.refetch() : refetch())} />}
      {!problem && !life && lives !== false && <Loading />}
      {lives === false && (
        <Empty title={`“${agent}” has no inbox`}>
          An agent whose charter has one, such as “sovereign”, receives messages and takes turns on its own.
        </Empty>
      )}
      {life && <Shown life={life} now={now} onDone={done} />}
    </Page>
  );
}

function Shown({ life, now, onDone }: ShownProps) {
  const { agent, waiting } = life;
  const inbox = `/agents/${encodeName(agent)}/inbox`;
  const first = useApi<MessageListAnswer>(withQuery(inbox, { status: "waiting", limit: 1 })).data?.messages[0];
  return (
    <div className="space-y-6">
      <div>
        <ObstacleList obstacles={obstaclesOf(life, now)} />
        <Figures life={life} now={now} oldest={first?.at} />
      </div>
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-6">
          {life.chain && <ChainTrouble agent={agent} chain={life.chain} onDone={onDone} />}
          <MessageList
            agent={agent}
            status="dead"
            title="Failed messages"
            about="Each failed three times. Retry or discard them."
            acts={<RetryAll agent={agent} onDone={onDone} />}
            onDone={onDone}
          />
          <MessageList
            agent={agent}
            status="taken"
            title="Being answered"
            about="A turn is working on these."
            onDone={onDone}
          />
          <MessageList
            agent={agent}
            status="waiting"
            title="Waiting"
            about="Oldest first. A sender with many messages delays only their own."
            total={waiting}
            none="No messages are waiting."
            onDone={onDone}
          />
          <Replies agent={agent} sendsByChain={life.chain !== undefined && life.chain.sends !== false} />
        </div>
        <Transitions life={life} />
      </div>
    </div>
  );
}

type ShownProps = { readonly life: Life; readonly now: number; readonly onDone: (says: string) => void };
