import { memo, useMemo, useState } from "react";
import { ApiProblem } from "../../api/request.ts";
import { Empty, Loading, Page, Trouble } from "../../app/page.tsx";
import { placeOf, useAsked, usePlace } from "../../app/place.ts";
import type { Assembled, Wanted } from "../../assembly/assembled.ts";
import { useAssembled, useRange } from "../../assembly/use-assembled.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { count, plural, timeText } from "../../kit/words.ts";
import { wantedOf } from "./asked.ts";
import { Controls } from "./controls.tsx";
import { Limit } from "./limit.tsx";
import { Notices } from "./notices.tsx";
import { View, type ViewProps } from "./view.tsx";

/** The prompt the next turn would have: as a picture, as text, and who wrote which word of it. */
export default function PromptPage() {
  const { agent } = usePlace();
  const [asked, change] = useAsked();
  const [drawn, setDrawn] = useState<number>();
  const chosen = useSame(wantedOf(agent, asked));
  const wanted: Wanted = { ...chosen, tokens: drawn ?? chosen.tokens };
  const { data, problem, busy, again } = useAssembled(wanted);
  const range = useRange(wanted);
  return (
    <Page
      title="Prompt"
      about={
        <>
          <span className="block">
            What “<bdi>{agent}</bdi>” is told before your words. A band is a section, as high as it has tokens: click
            one.
          </span>
          {data && <Totals assembled={data} busy={busy && drawn === undefined} />}
        </>
      }
    >
      <div className="mb-4 space-y-3 rounded-lg border border-line bg-card p-3">
        <Controls wanted={wanted} about={data?.about} change={change} />
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
        // With a limit the whole prompt is the measure, so that one sees how much gave way.
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
      <Empty title="This prompt has no words">
        Every section of it is empty, or could not be read. Write the first words in{" "}
        <TextLink href={placeOf(wanted.agent, "sections", undefined, { user: wanted.user })}>Sections</TextLink>, or say
        something in the{" "}
        <TextLink href={placeOf(wanted.agent, "chat", undefined, { user: wanted.user })}>chat</TextLink>.
      </Empty>
    );
  return (
    <div className={faded ? "grayscale" : ""}>
      {faded && <p className="mb-2 text-soft text-sm">In grey: the last prompt that could be made.</p>}
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
      <span className="font-medium text-ink tabular-nums">{plural(tokens.total, "token")}</span>{" "}
      {tokens.exact ? "exactly" : "estimated"}
      {tokens.tokenizer !== "estimate" && ` (${tokens.tokenizer})`} in {plural(sections.length, "section")}
      <span className="max-sm:hidden">
        {" "}
        · {edition} edition · as of <time dateTime={about.at}>{timeText(about.at)}</time>
      </span>{" "}
      · for <bdi>{name}</bdi>
      {window !== null && (
        <span className={tooMuch ? "text-bad" : ""}>
          {" "}
          ({tooMuch ? "only " : ""}room for {count(window)})
        </span>
      )}
      {busy && <span role="status"> · reading anew…</span>}
    </>
  );
}
