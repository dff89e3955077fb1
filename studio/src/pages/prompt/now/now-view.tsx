import type { NextRequestAnswer } from "charter/answers";
import { useEffect, useMemo, useRef, useState } from "react";
import { useAsked } from "../../../app/place.ts";
import type { Wanted } from "../../../assembly/assembled.ts";
import { nowStrata } from "../../../assembly/now-strata.ts";
import { useLatestChange } from "../../../cause/latest-change.ts";
import { LatestChangeCard } from "../../../cause/latest-change-card.tsx";
import { Button } from "../../../kit/button.tsx";
import { useSize } from "../../../kit/size.ts";
import { plural } from "../../../kit/words.ts";
import { Strata } from "../../../strata/strata.tsx";
import { Legend } from "../legend.tsx";
import { nowItems } from "./now-items.ts";
import { Item, Part, Tools } from "./now-parts.tsx";

/** Of a long history so many messages are shown at first: the newest. */
const maxMessages = 30;

/** What goes out now: the picture of its sections, and everything in the order the model reads it. */
export function NowView({ next, wanted }: { readonly next: NextRequestAnswer; readonly wanted: Wanted }) {
  const [asked, change] = useAsked();
  const [all, setAll] = useState(false);
  const { prefix, history, state } = useMemo(() => nowItems(next), [next]);
  const strata = useMemo(() => nowStrata(next), [next]);
  const picture = useRef<HTMLDivElement>(null);
  const words = useRef<HTMLElement>(null);
  const { height } = useSize(picture);
  const selected = asked("section");
  const latest = useLatestChange(wanted.agent, wanted.user);
  useEffect(() => {
    if (selected === undefined) return;
    const found = [...(words.current?.querySelectorAll<HTMLElement>("[data-section]") ?? [])];
    const one = found.findLast(({ dataset }) => dataset.section === selected);
    const box = words.current;
    if (!one || !box) return;
    // Where the text scrolls by itself, the page stays where it is.
    if (box.scrollHeight > box.clientHeight)
      box.scrollTop += one.getBoundingClientRect().top - box.getBoundingClientRect().top;
    else one.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const hidden = all ? 0 : Math.max(0, history.length - 1 - maxMessages);
  const { tokens, request } = next;
  return (
    <div className="grid gap-4 lg:h-[max(30rem,calc(100dvh-17rem))] lg:grid-cols-[15rem_minmax(0,1fr)] 2xl:grid-cols-[18rem_minmax(0,1fr)]">
      <div className="flex min-h-0 min-w-0 flex-col gap-2">
        <div ref={picture} className="relative h-60 min-h-0 lg:h-auto lg:flex-1">
          <Strata
            strata={strata}
            height={height}
            label="Sections by tokens"
            selected={selected}
            cache={{ min: next.cacheMin, tools: tokens.tools }}
            news={latest && { name: latest.section, words: latest.lines ?? "changed" }}
            onSelect={(section) => change({ section })}
          />
        </div>
        <Legend sections={strata} />
      </div>
      <section
        ref={words}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys.
        tabIndex={0}
        aria-label="The next request"
        className="min-h-0 min-w-0 space-y-4 overflow-y-auto rounded-lg border border-line bg-card p-3"
      >
        {latest && <LatestChangeCard agent={wanted.agent} user={wanted.user} change={latest} />}
        <Part title="Tools" tokens={tokens.tools} none={request.tools.length === 0 && "No tools are offered."}>
          <Tools tools={request.tools} />
        </Part>
        <Part
          title="Prefix"
          about="the system prompt as this conversation has it"
          tokens={tokens.prefix}
          none={prefix.length === 0 && "Empty."}
        >
          {prefix.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place.
            <Item key={index} item={item} wanted={wanted} selected={selected} />
          ))}
        </Part>
        <Part title="History" about={plural(history.length - 1, "message")} tokens={tokens.history}>
          {hidden > 0 && <Button onClick={() => setAll(true)}>Show {plural(hidden, "earlier message")}</Button>}
          {history.slice(hidden).map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place.
            <Item key={hidden + index} item={item} wanted={wanted} selected={selected} />
          ))}
        </Part>
        <Part
          title="Dynamic state"
          about="sent again with every request"
          tokens={tokens.state}
          none={state.length === 0 && "None."}
        >
          {state.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place.
            <Item key={index} item={item} wanted={wanted} selected={selected} />
          ))}
        </Part>
      </section>
    </div>
  );
}
