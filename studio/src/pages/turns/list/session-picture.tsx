import { useMemo, useState } from "react";
import { Card, Loading, Trouble } from "../../../app/page.tsx";
import { useAsked } from "../../../app/place.ts";
import type { Sample } from "../../../billing/sample.ts";
import { useSamples } from "../../../billing/samples.ts";
import { plural } from "../../../kit/words.ts";
import { Glance } from "./glance.tsx";
import { Legend } from "./legend.tsx";
import { type Looked, Timeline } from "./timeline.tsx";

type Query = Readonly<Record<string, string | number>> & { readonly limit: number; readonly offset: number };

/**
 * The prompts of one session's turns side by side, folded until it is asked for (`?picture=open`). Only one session's: the
 * prompts of two users differ without anybody having changed anything.
 */
export function SessionPicture({ agent, query }: { readonly agent: string; readonly query: Query }) {
  const [asked, setAsked] = useAsked();
  const open = asked("picture") === "open";
  return (
    <details
      className="mb-3"
      open={open}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== open) setAsked({ picture: currentTarget.open ? "open" : undefined });
      }}
    >
      <summary className="mb-2 w-fit text-accent text-sm underline decoration-accent/40 underline-offset-2">
        Picture of the prompts
      </summary>
      {open && <Picture agent={agent} query={query} />}
    </details>
  );
}

function Picture({ agent, query }: { readonly agent: string; readonly query: Query }) {
  const { data, problem, size, again } = useSamples(agent, query);
  if (problem && !data) return <Trouble problem={problem} again={again} />;
  if (!data) return <Loading />;
  return (
    <Card className="space-y-3">
      <Legend />
      {size < query.limit && data.more && (
        <p className="text-soft text-sm">These prompts are very large: {plural(size, "turn")} of this page drawn.</p>
      )}
      <Drawn agent={agent} listed={data.samples} />
    </Card>
  );
}

function Drawn({ agent, listed }: { readonly agent: string; readonly listed: readonly Sample[] }) {
  const samples = useMemo(() => listed.toSorted(byTime), [listed]);
  const [looked, setLooked] = useState<Looked>();
  const found = samples.findIndex(({ turn }) => turn === looked?.turn);
  const at = found === -1 ? samples.length - 1 : found;
  const sample = samples[at];
  return (
    <>
      <Timeline agent={agent} samples={samples} at={at} section={looked?.section} onLook={setLooked} />
      {sample && <Glance agent={agent} sample={sample} left={samples[at - 1]} section={looked?.section} />}
    </>
  );
}

function byTime(one: Sample, other: Sample): number {
  return one.startedAt < other.startedAt ? -1 : one.startedAt > other.startedAt ? 1 : one.turn < other.turn ? -1 : 1;
}
