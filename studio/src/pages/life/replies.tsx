import type { ReplyListAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { Loading, Trouble } from "../../app/page.tsx";
import { placeOf, saidWith } from "../../app/place.ts";
import { LongText } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { counterpartKey, timeText } from "../../kit/words.ts";

const latest = 10;

/** What it answered last, to whom, and whether they have fetched it. */
export function Replies({ agent, sendsByChain }: RepliesProps) {
  const path = withQuery(`/agents/${encodeName(agent)}/outbox`, { limit: latest });
  const { data, error, refetch } = useApi<ReplyListAnswer>(path);
  return (
    <section aria-label="Latest replies">
      <h2 className="mb-1 font-semibold text-lg">Latest replies</h2>
      {error && <Trouble problem={error} again={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.replies.length === 0 && <p className="text-sm text-soft">No replies yet.</p>}
      {data && data.replies.length > 0 && (
        <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
          {data.replies.map(({ id, message, to, at, body, sentAt, turn }) => (
            <li key={id} className="px-4 py-2.5">
              <p className="mb-0.5 flex flex-wrap items-baseline gap-x-2 gap-y-0.5 text-soft text-xs">
                <span>
                  to{" "}
                  <TextLink href={saidWith(agent, counterpartKey(to))} dir="auto">
                    {to}
                  </TextLink>
                </span>
                <span>{timeText(at)}</span>
                {turn !== undefined && <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>}
                <span>{sentWords(sentAt, sendsByChain && (message?.startsWith("chain:") ?? false))}</span>
              </p>
              <LongText text={body} max={400} className="text-sm" />
            </li>
          ))}
        </ol>
      )}
      {data?.more && (
        <p className="mt-2 text-sm text-soft">
          These are the latest {latest}. <TextLink href={saidWith(agent)}>All conversations</TextLink>
        </p>
      )}
    </section>
  );
}

type RepliesProps = {
  readonly agent: string;
  /** Replies to what came by a chain are put on it. */
  readonly sendsByChain: boolean;
};

/** A reply on a chain is there when its block counts; every other is fetched by whoever it is for. */
function sentWords(sentAt: string | null, byChain: boolean): string {
  if (sentAt === null) return byChain ? "not final on the chain yet" : "not fetched yet";
  return `${byChain ? "final on the chain" : "fetched"} ${timeText(sentAt)}`;
}
