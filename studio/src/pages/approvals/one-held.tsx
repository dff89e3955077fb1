import { useApi } from "../../api/query-client.ts";
import { encodeName } from "../../api/request.ts";
import { Loading, Trouble } from "../../app/page.tsx";
import { housePlaceOf } from "../../app/place.ts";
import { TextLink } from "../../kit/text-link.tsx";
import type { Decision } from "./decisions.tsx";
import { HeldItem } from "./held-item.tsx";
import type { HeldCall, HeldProposal, HeldTool } from "./waiting.ts";

type OneHeldProps = { readonly id: string; readonly onDecided: (decision: Decision) => void };

/** One of what waits, or waited, by its id. */
export function OneHeld({ id, onDecided }: OneHeldProps) {
  const { data, error } = useApi<HeldProposal | HeldCall | HeldTool>(`/approvals/${encodeName(id)}`);
  return (
    <>
      <p className="mb-3 text-sm">
        <TextLink href={housePlaceOf("approvals")}>All approvals</TextLink>
      </p>
      {error && <Trouble problem={error} />}
      {!data && !error && <Loading />}
      {data && (
        <ol>
          <HeldItem key={data.id} held={data} onDecided={onDecided} />
        </ol>
      )}
    </>
  );
}
