import type { Notice } from "charter";
import type { NextRequestAnswer, PromptAnswer } from "charter/answers";
import { useMemo } from "react";
import { useApi } from "../../api/query-client.ts";
import { encodeName, type Whose, withQuery } from "../../api/request.ts";
import { Loading, Page, Trouble } from "../../app/page.tsx";
import { placeOf, useAsked, usePlace } from "../../app/place.ts";
import type { Wanted } from "../../assembly/assembled.ts";
import { Hint } from "../../kit/hint.tsx";
import { LongList } from "../../kit/list.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { count, exactness, plural } from "../../kit/words.ts";
import { Controls, wantedOf } from "./controls.tsx";
import { OverTime, type Shown, useTurns } from "./over-time.tsx";
import { View } from "./view.tsx";

/** A whole request as a document with its authors: the next one, that of a new conversation, or one that was sent. */
export default function PromptPage() {
  const { agent } = usePlace();
  const [asked, change] = useAsked();
  const wanted = useSame(wantedOf(agent, asked));
  const { user, channel, at, edition } = wanted;
  const turn = asked("turn");
  const isTried = at !== undefined || edition !== undefined;
  const shown: Shown = turn !== undefined ? "turn" : asked("show") === "new" || isTried ? "new" : "now";
  const session = shown === "new" ? "new" : asked("session");
  const about = turn === undefined ? { user, channel, session, at, edition } : { turn };
  const { request, problem, again } = useRequest(agent, about);
  const before = useBefore({ agent, user: request?.user ?? undefined, turn, since: asked("since") });
  return (
    <Page fills title="Prompt" about={request && <Totals request={request} />}>
      <div className="mb-3 space-y-3">
        <OverTime {...{ agent, shown, turn, request, change }} user={user} since={asked("since")} />
        {shown !== "turn" && <Controls wanted={wanted} about={request} whatIf={shown === "new"} change={change} />}
      </div>
      {problem && (
        <div className="mb-4">
          <Trouble problem={problem} again={again} />
        </div>
      )}
      {request && <Notices notices={request.notices as readonly Notice[]} wanted={wanted} />}
      {/* What is open in one agent's document, and how far one has read in it, is not so in another's. */}
      {request ? <View key={agent} request={request} before={before} wanted={wanted} /> : !problem && <Loading />}
    </Page>
  );
}

type Asked = Readonly<Record<string, string | undefined>>;

function useRequest(agent: string, about: Asked | undefined) {
  const path = about && withQuery(`/agents/${encodeName(agent)}/prompt`, { parts: "request", ...about });
  const { data, error, isPlaceholderData, refetch } = useApi<Pick<PromptAnswer, "request">>(path);
  const request: NextRequestAnswer | undefined = isPlaceholderData ? undefined : data?.request;
  return { request, problem: error ?? undefined, again: () => void refetch() };
}

type BeforeQuery = Whose & {
  readonly turn: string | undefined;
  readonly since: string | undefined;
};

/** What a past turn is compared with: what another handle names, else the turn before it. */
function useBefore({ agent, user, turn, since }: BeforeQuery): NextRequestAnswer | undefined {
  const turns = useTurns(agent, user);
  const at = turns.findIndex(({ id }) => id === turn);
  const before = since ?? turns[at - 1]?.id;
  return useRequest(agent, turn === undefined || before === undefined ? undefined : { turn: before }).request;
}

/** The same object for as long as it says the same. */
function useSame(wanted: Wanted): Wanted {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it says is all there is to it.
  return useMemo(() => wanted, Object.values(wanted));
}

/** What the request comes to, and how it is billed; where its tokens are and how they are counted is behind “?”. */
function Totals({ request }: { readonly request: NextRequestAnswer }) {
  const { tokens, model, window, prefixChange, predicted, billed } = request;
  const isNews = prefixChange?.how === "updated" || prefixChange?.how === "folded";
  return (
    <span className="[overflow-wrap:anywhere]">
      <span className="tabular-nums">
        <span className="font-medium text-ink">{plural(tokens.total, "token")}</span> {exactness(tokens)} for{" "}
        <bdi>{model}</bdi>
        {window !== null && tokens.total > window && <span className="text-bad"> (too long for its window)</span>}.
      </span>{" "}
      {isNews && `${changeWords(prefixChange)} `}
      {billed ? cacheWords(billed, "was") : predicted && cacheWords(predicted, "is expected to be")}
      <Hint about="these tokens">
        Counted with {tokens.tokenizer}: {shareWords(tokens)}. {prefixChange && !isNews && changeWords(prefixChange)}
      </Hint>
    </span>
  );
}

/** What the operator should know about a prompt that was built all the same. */
export function Notices({ notices, wanted }: { readonly notices: readonly Notice[]; readonly wanted: Wanted }) {
  if (notices.length === 0) return null;
  return (
    <div className="mb-4 rounded-lg border border-wait/40 bg-card px-3 py-2 text-sm">
      <LongList
        items={notices}
        label="Notices"
        first={4}
        keyOf={({ code, section, message }, index) => `${code} ${section} ${message} ${index}`}
        draw={({ code, section, message }) => (
          <p className="[overflow-wrap:anywhere]">
            <strong className="font-medium text-wait">{code}</strong> <bdi>{message}</bdi>{" "}
            {section !== undefined && (
              <TextLink href={placeOf(wanted.agent, "sections", section, { user: wanted.user })}>
                <bdi>{section}</bdi>
              </TextLink>
            )}
          </p>
        )}
      />
    </div>
  );
}

/** What happens to the cached prefix with the next request, in a sentence. */
export function changeWords({ how, sections = [], reason }: NonNullable<NextRequestAnswer["prefixChange"]>): string {
  const named = sections.map((one) => `“${one}”`).join(", ");
  if (how === "opened") return "Nothing was sent in this conversation yet: the prefix is new.";
  if (how === "kept") return "The prefix is the one that was sent before.";
  if (how === "updated")
    return `The prefix is the one that was sent before. ${named} changed since: sent as ${sections.length === 1 ? "an update" : "updates"} with your message.`;
  const changed = sections.length === 0 ? "" : ` It now includes the changes of ${named}.`;
  return `The prefix is rebuilt with the next request, because ${reason ?? "it changed"}.${changed}`;
}

/** Where the tokens of a request are; what there is none of is not named. */
export function shareWords({ tools, prefix, history, state }: NextRequestAnswer["tokens"]): string {
  const parts: readonly (readonly [number, string])[] = [
    [tools, "tools"],
    [prefix, "prefix"],
    [history, "history"],
    [state, "dynamic state"],
  ];
  return parts.flatMap(([tokens, name]) => (tokens === 0 ? [] : [`${name} ${count(tokens)}`])).join(" · ");
}

/** How much of a request was read from the cache, or is expected to be. */
export function cacheWords(
  { read, written, fresh }: NonNullable<NextRequestAnswer["predicted"]>,
  verb: "was" | "is expected to be",
): string {
  const all = read + written + fresh;
  if (read === 0) return `None of it ${verb} read from the cache.`;
  return `${count(read)} of ${plural(all, "token")} ${verb.replace(/^is/, "are").replace(/^was/, "were")} read from the cache.`;
}
