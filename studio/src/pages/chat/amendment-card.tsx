import type { HistoryAnswer } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { encodeName, withQuery } from "../../api/request.ts";
import { placeOf } from "../../app/place.ts";
import { DiffView, textsOf } from "../../kit/text/diff.tsx";
import { Card } from "./card.tsx";
import type { AmendmentHappening } from "./happening.ts";
import type { Whom } from "./talk.ts";

/** Words of the prompt changed: which, how, what it cost. */
export function AmendmentCard({ whom, of }: { readonly whom: Whom; readonly of: AmendmentHappening }) {
  const { section, revision, diff, says } = of;
  const nextTurn = { user: whom.user, channel: "web" };
  return (
    <Card
      tone="good"
      label="Amendment"
      title={
        <>
          <strong className="font-medium text-good">Amended</strong> “<bdi>{section}</bdi>”
          {revision !== undefined && `, revision ${revision}`}
        </>
      }
      to={{ href: placeOf(whom.agent, "sections", section, { user: whom.user }), words: "in Sections" }}
      also={{ href: placeOf(whom.agent, "prompt", undefined, { ...nextTurn, section }), words: "in the next prompt" }}
    >
      {diff === undefined ? (
        <FromHistory whom={whom} of={of} />
      ) : (
        <DiffView {...textsOf(diff)} max={12} className="mt-1.5" />
      )}
      {says && <p className="mt-1.5 text-soft text-xs">{says}</p>}
    </Card>
  );
}

/** Where nobody told what changed, the section's history knows. */
function FromHistory({ whom: { agent, user }, of: { section, revision } }: Parameters<typeof AmendmentCard>[0]) {
  const path = `/agents/${encodeName(agent)}/sections/${encodeName(section)}/history`;
  const { data } = useApi<HistoryAnswer>(
    revision === undefined ? undefined : withQuery(path, { user, before: revision + 1, limit: 1 }),
  );
  const found = data?.amendments.find((one) => one.revision === revision);
  if (!found || found.before === null || found.after === null) return null;
  return <DiffView before={found.before ?? ""} after={found.after ?? ""} max={12} className="mt-1.5" />;
}
