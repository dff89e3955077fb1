import { useMemo, useState } from "react";
import { Card, Empty, Loading, Page, Trouble } from "../../../app/page.tsx";
import { Pager, useStretch } from "../../../app/pager.tsx";
import { placeOf, useAsked } from "../../../app/place.ts";
import { UserChoice } from "../../../app/user-choice.tsx";
import { To } from "../../../billing/links.tsx";
import type { Sample } from "../../../billing/sample.ts";
import { useSamples } from "../../../billing/samples.ts";
import { Glance } from "./glance.tsx";
import { Legend } from "./legend.tsx";
import { type Looked, Timeline } from "./timeline.tsx";
import { TurnTable } from "./turn-table.tsx";

const max = 60;

/** Every turn an agent took, as core samples side by side, and as a list. */
export function AllTurns({ agent }: { readonly agent: string }) {
  const [asked, setAsked] = useAsked();
  const user = asked("user");
  const { from, limit, offset } = useStretch(max);
  const { data, problem, size, again } = useSamples(agent, { user, limit, offset });
  return (
    <Page
      title="Turns"
      about="A core sample of each turn’s prompt, oldest to newest, all on one scale: where a section changed there is a step."
      actions={
        <UserChoice
          agent={agent}
          user={user}
          nobody="everyone"
          onUser={(next) => setAsked({ user: next, from: undefined }, { replace: false })}
        />
      }
    >
      {problem && !data ? (
        <Trouble problem={problem} again={again} />
      ) : !data ? (
        <Loading />
      ) : data.samples.length === 0 ? (
        <NoTurns agent={agent} user={user} from={from} />
      ) : (
        <Picture agent={agent} newestFirst={data.samples} />
      )}
      {data && <Pager from={from} shown={data.samples.length} size={size} more={data.more} />}
    </Page>
  );
}

function Picture({ agent, newestFirst }: { readonly agent: string; readonly newestFirst: readonly Sample[] }) {
  const samples = useMemo(() => [...newestFirst].reverse(), [newestFirst]);
  const [looked, setLooked] = useState<Looked>();
  const found = samples.findIndex(({ turn }) => turn === looked?.turn);
  const at = found === -1 ? samples.length - 1 : found;
  const sample = samples[at];
  return (
    <>
      <Card className="space-y-3">
        <Legend />
        <Timeline agent={agent} samples={samples} at={at} section={looked?.section} onLook={setLooked} />
        {sample && <Glance agent={agent} sample={sample} left={samples[at - 1]} section={looked?.section} />}
      </Card>
      <Card className="mt-4 overflow-hidden p-0!">
        <TurnTable agent={agent} samples={newestFirst} />
      </Card>
    </>
  );
}

function NoTurns(props: { readonly agent: string; readonly user: string | undefined; readonly from: number }) {
  const { agent, user, from } = props;
  if (from > 0) return <Empty title="There are no older turns." />;
  return (
    <Empty title={user === undefined ? "No turn was taken yet." : `“${user}” has not taken a turn yet.`}>
      <To href={placeOf(agent, "chat", undefined, { user })}>Say something in the chat</To>: its prompt stands here as
      soon as it is sent.
    </Empty>
  );
}
