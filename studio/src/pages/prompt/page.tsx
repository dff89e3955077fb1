import type { Notice } from "charter";
import type { PromptAnswer } from "charter/answers";
import { memo, type ReactNode, useMemo, useState } from "react";
import { useApi } from "../../api/query-client.ts";
import { ApiProblem, encodeName, withQuery } from "../../api/request.ts";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { placeOf, useAsked, usePlace } from "../../app/place.ts";
import { useListedAgent } from "../../app/use-agents.ts";
import type { Assembled, Wanted } from "../../assembly/assembled.ts";
import { useAssembled, useRange } from "../../assembly/use-assembled.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { count, exactness, plural, timeText } from "../../kit/words.ts";
import { wantedOf } from "./asked.ts";
import { Controls } from "./controls.tsx";
import { Limit } from "./limit.tsx";
import { Notices } from "./notices.tsx";
import { NowTotals } from "./now/now-totals.tsx";
import { NowView } from "./now/now-view.tsx";
import { type Shown, shownOf } from "./shown.ts";
import { View, type ViewProps } from "./view.tsx";
import { Which } from "./which.tsx";

/** The prompt of the next turn: as it goes out now in a conversation, or as a new conversation would get it. */
export default function PromptPage() {
  const { agent } = usePlace();
  const [asked, change] = useAsked();
  const chosen = useSame(wantedOf(agent, asked));
  const { user, channel } = chosen;
  const { listed, isPending } = useListedAgent(agent);
  // One that runs at a terminal has no conversations here.
  const served = isPending ? undefined : listed?.served !== false;
  const next = useApi<Pick<PromptAnswer, "request">>(
    served
      ? withQuery(`/agents/${encodeName(agent)}/prompt`, { parts: "request", user, channel, session: asked("session") })
      : undefined,
  );
  const known = next.isPlaceholderData ? undefined : next.data?.request;
  const shown = shownOf(asked("show"), chosen, known, next.error !== null || served === false);
  const choose = (show: Shown) =>
    change(show === "new" ? { show } : { show: undefined, at: undefined, edition: undefined, tokens: undefined });
  const head = <Which shown={shown} next={known} wanted={chosen} onChoose={choose} />;
  if (shown === undefined)
    return (
      <Page title="Prompt">
        <Loading />
      </Page>
    );
  if (shown === "now" && known?.session)
    return (
      <Page title="Prompt" about={<NowTotals next={known} />}>
        <div className="mb-4 space-y-3 rounded-lg border border-line bg-card p-3">
          {head}
          <Controls wanted={chosen} about={undefined} whatIf={false} change={change} />
        </div>
        <Notices notices={known.notices as readonly Notice[]} wanted={chosen} />
        <NowView next={known} wanted={chosen} />
      </Page>
    );
  return <NewConversation head={head} chosen={chosen} change={change} />;
}

type NewProps = {
  readonly head: ReactNode;
  readonly chosen: Wanted;
  readonly change: (change: Readonly<Record<string, string | undefined>>) => void;
};

/** What a new conversation would get, with a time, an edition and a limit to try out. */
function NewConversation({ head, chosen, change }: NewProps) {
  const { agent } = chosen;
  const [drawn, setDrawn] = useState<number>();
  const wanted: Wanted = { ...chosen, tokens: drawn ?? chosen.tokens };
  const { data, problem, busy, again } = useAssembled(wanted);
  const range = useRange(wanted);
  return (
    <Page
      title="Prompt"
      about={
        <>
          <span className="block">
            The system prompt for <bdi>{agent}</bdi>’s first turn in a new conversation. Each band is a section, sized
            by tokens.
          </span>
          {data && <Totals assembled={data} busy={busy && drawn === undefined} />}
        </>
      }
    >
      <div className="mb-4 space-y-3 rounded-lg border border-line bg-card p-3">
        {head}
        <Controls wanted={wanted} about={data?.about} whatIf change={change} />
        <Limit
          range={range}
          value={wanted.tokens}
          usual={data?.about.limit}
          onDrag={setDrawn}
          onChoose={(tokens) => {
            setDrawn(undefined);
            change({ tokens: tokens?.toString() });
          }}
        />
      </div>
      {problem && (
        <div className="mb-4">
          <Trouble problem={problem} again={doesNotFit(problem) ? undefined : again} />
        </div>
      )}
      {data && <Notices notices={data.notices} wanted={wanted} />}
      {data && (
        // With a limit the whole prompt is the measure, so that one sees how much was trimmed.
        <Picture
          assembled={data}
          wanted={chosen}
          faded={problem !== undefined}
          scale={wanted.tokens === undefined ? undefined : range?.whole}
        />
      )}
      {!data && !problem && busy && <Loading />}
    </Page>
  );
}

/** The same object for as long as it says the same. */
function useSame(wanted: Wanted): Wanted {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it says is all there is to it.
  return useMemo(() => wanted, Object.values(wanted));
}

/** It is drawn anew when it changes, not at each move of the hand that draws the limit. */
const Picture = memo(function Picture({ faded, ...shown }: ViewProps & { readonly faded: boolean }) {
  const { wanted } = shown;
  if (shown.assembled.sections.length === 0)
    return (
      <Empty title="This prompt is empty">
        Every section is empty or could not be read. See{" "}
        <TextLink href={placeOf(wanted.agent, "sections", undefined, { user: wanted.user })}>Sections</TextLink>.
      </Empty>
    );
  return (
    <div className={faded ? "grayscale" : ""}>
      {faded && <p className="mb-2 text-soft text-sm">Grey: the last prompt that could be assembled.</p>}
      <View {...shown} />
    </div>
  );
});

/** The same words in the same room fit no better a second time. */
function doesNotFit(problem: Error): boolean {
  return problem instanceof ApiProblem && problem.error.code === "no-room";
}

function Totals({ assembled, busy }: { readonly assembled: Assembled; readonly busy: boolean }) {
  const { tokens, edition, about, sections } = assembled;
  const { name, window } = about.receiver;
  const tooMuch = window !== null && tokens.total > window;
  return (
    <>
      <span className="font-medium text-ink tabular-nums">{plural(tokens.total, "token")}</span> {exactness(tokens)} (
      {tokens.tokenizer}) in {plural(sections.length, "section")}
      <span className="max-sm:hidden">
        {" "}
        · {edition} edition · as of <time dateTime={about.at}>{timeText(about.at)}</time>
      </span>{" "}
      · for <bdi>{name}</bdi>
      {window !== null && (
        <span className={tooMuch ? "text-bad" : ""}>
          {" "}
          ({tooMuch ? "too long for its window of" : "window"} {count(window)})
        </span>
      )}
      {busy && <span role="status"> · updating…</span>}
    </>
  );
}
