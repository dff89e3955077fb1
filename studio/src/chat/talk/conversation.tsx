import type { TurnAnswer, TurnListAnswer } from "charter/answers";
import { ArrowDown } from "lucide-react";
import { type DragEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { placeOfDraft, useDraft } from "../../kit/draft.ts";
import { Button } from "../../kit/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { useEnd } from "../../kit/window.ts";
import { agentLabel, refresh, useFacts, useRead } from "../api/read.ts";
import { agentPath } from "../api/request.ts";
import { addressOf, newTalk, placeIn, replacePlace } from "../app/place.ts";
import { Loading, Trouble } from "../kit/page.tsx";
import { useAttachments } from "./attachment.tsx";
import { Composer } from "./composer.tsx";
import { LiveExchange, RecordedExchange } from "./exchange.tsx";
import { drop, type Said, say, stop, useSaid, type Words } from "./talk.ts";

const stretch = 40;

/** One conversation: what was said, what is being said, and where one says more. */
export function Conversation({ session }: { readonly session: string }) {
  const facts = useFacts();
  const [limit, setLimit] = useState(stretch);
  const path = `${agentPath(facts.agent.name, "turns")}?session=${encodeURIComponent(session)}&told=true&limit=${limit}`;
  const { data, problem } = useRead<TurnListAnswer>(session === newTalk ? undefined : path);
  const said = useSaid().filter((one) => one.session === session);
  const turns = data?.turns ?? [];
  const entries = flow(turns, said);
  const ready = session === newTalk || data !== undefined || said.length > 0;
  const onRecord = turns.find(({ state, id }) => state === "running" && !said.some(({ reply }) => reply.turn === id));
  const live = said.findLast(({ reply }) => reply.ended === undefined);
  const running = live !== undefined || onRecord !== undefined;
  const runs = live?.reply.turn ?? onRecord?.id;
  const { around, inside, away, toEnd } = useEnd(entries.length > 0);
  const box = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useDraft(placeOfDraft("chat", facts.agent.name, facts.user, session));
  const attached = useAttachments(facts.files ?? null);
  const label = agentLabel(facts);

  useEffect(() => {
    document.title = label;
  }, [label]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation is looked at from its end.
  useEffect(toEnd, [session]);
  const send = useCallback(
    (words: Words) => {
      toEnd();
      void say(facts.agent.name, session, words, (known) => {
        // Whoever went elsewhere meanwhile stays there.
        const at = placeIn(location.hash);
        if (at.kind === "talk" && (at.session ?? newTalk) === session) replacePlace(addressOf.talk(known));
        refresh();
      });
    },
    [facts.agent.name, session, toEnd],
  );
  const sendTyped = () => {
    const words = { text: (draft ?? "").trim(), files: attached.files, typed: true } as const;
    setDraft(undefined);
    attached.clear();
    send(words);
  };
  const fill = (text: string) => {
    setDraft(text);
    box.current?.focus();
  };
  const dropped = (event: DragEvent) => {
    if (!facts.files || event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    void attached.add([...event.dataTransfer.files]);
    box.current?.focus();
  };
  const answer = useMemo(() => {
    const last = said.at(-1)?.reply;
    return last?.ended === "answered" ? last.text : "";
  }, [said]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped here can also be chosen with a button.
    <div
      className="flex min-h-0 flex-1 flex-col"
      onDragOver={(event) => facts.files && event.preventDefault()}
      onDrop={dropped}
    >
      <section
        ref={around}
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto focus-visible:outline-offset-[-2px]"
      >
        <div ref={inside} className="mx-auto flex min-h-full w-full max-w-2xl flex-col gap-8 px-4 py-6 sm:px-6 sm:py-8">
          {entries.length > 0 && <h1 className="sr-only">Conversation with {label}</h1>}
          {data?.more && limit < 1000 && (
            <p className="text-center">
              <Button kind="quiet" onClick={() => setLimit(Math.min(1000, limit + 2 * stretch))}>
                Show earlier messages
              </Button>
            </p>
          )}
          <Trouble problem={problem} again={refresh} />
          {!ready && !problem && <Loading />}
          {ready && entries.length === 0 && !problem && <Welcome onTry={fill} />}
          {entries.map((entry) =>
            "said" in entry ? (
              <LiveExchange
                key={entry.key}
                said={entry.said}
                onGoOn={() => !running && send({ text: "Go on.", files: [] })}
                onAgain={() => {
                  drop(entry.key);
                  send(entry.said);
                }}
              />
            ) : (
              <RecordedExchange key={entry.key} turn={entry.turn} onAgain={(text) => send({ text, files: [] })} />
            ),
          )}
        </div>
      </section>
      <div className="relative">
        {away && (
          <button
            type="button"
            aria-label="Go to the newest message"
            onClick={toEnd}
            className="absolute -top-11 left-1/2 grid size-9 -translate-x-1/2 place-items-center rounded-full border border-line bg-card shadow-md hover:bg-raised"
          >
            <Icon of={ArrowDown} className="size-5" />
          </button>
        )}
        {facts.standIn && (
          <p className="px-4 pt-1 text-center text-soft text-xs">
            A script stands in for a model here: it answers, and understands little.
          </p>
        )}
        <Composer
          box={box}
          label={label}
          text={draft ?? ""}
          files={attached.files}
          objections={attached.objections}
          running={running}
          onText={(text) => setDraft(text === "" ? undefined : text)}
          onFiles={attached.add}
          onRemove={attached.remove}
          onSend={sendTyped}
          onStop={runs === undefined ? undefined : () => void stop(runs).catch(refresh)}
        />
        <p role="status" className="sr-only">
          {answer}
        </p>
      </div>
    </div>
  );
}

const tries = [
  "What can you do for me?",
  "Always answer in short sentences.",
  "Remember that my sister is called Ida.",
  "Remind me tomorrow at 9 to water the plants.",
];

/** Before the first word. */
export function Welcome({ onTry }: { readonly onTry: (text: string) => void }) {
  return (
    <div className="flex flex-1 flex-col justify-center py-8 text-center">
      <h1 className="font-semibold text-2xl tracking-tight [overflow-wrap:anywhere] sm:text-3xl">
        Hello. I am <bdi>{agentLabel(useFacts())}</bdi>.
      </h1>
      <p className="mt-2 text-soft">How can I help you?</p>
      <ul className="mx-auto mt-8 grid w-full max-w-lg gap-2 sm:grid-cols-2">
        {tries.map((text) => (
          <li key={text}>
            <button
              type="button"
              onClick={() => onTry(text)}
              className="h-full w-full rounded-2xl border border-line bg-card px-4 py-3 text-start text-sm text-soft hover:border-accent hover:text-ink"
            >
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What stands in a conversation, from the top: on record, or said here. */
export type Entry = { readonly key: string; readonly turn: TurnAnswer } | { readonly key: string; readonly said: Said };

/** Where it stands: when it was said here. */
const placeOf = ({ told, startedAt }: TurnAnswer) => told?.at ?? startedAt;

/** `turns` newest first, by when they began. What was said here is shown as it came, also when it is on record by now. */
export function flow(turns: readonly TurnAnswer[], said: readonly Said[]): readonly Entry[] {
  const here = new Map(said.flatMap((one) => (one.reply.turn === undefined ? [] : [[one.reply.turn, one] as const])));
  const ordered = turns
    .toReversed()
    .sort((one, other) => Number(placeOf(one) > placeOf(other)) || -Number(placeOf(one) < placeOf(other)));
  const recorded = ordered.map((turn): Entry => {
    const own = here.get(turn.id);
    here.delete(turn.id);
    return own && turn.state !== "erased" ? { key: own.key, said: own } : { key: turn.id, turn };
  });
  const unlisted = said.filter(({ reply }) => reply.turn === undefined || here.has(reply.turn));
  return [...recorded, ...unlisted.map((one): Entry => ({ key: one.key, said: one }))];
}
