import type { ReactNode } from "react";
import type { Whose } from "../api/request.ts";
import { placeOf } from "../app/place.ts";
import { TextLink } from "../kit/text-link.tsx";
import { shownName } from "../kit/words.ts";
import type { CacheBreak } from "./sample.ts";

/** A section's name, which leads to it; where a revision is named, to that one in its history. */
export function ToSection(props: {
  readonly agent: string;
  readonly section: string;
  readonly user?: string | undefined;
  readonly revision?: number | null | undefined;
  readonly children?: ReactNode;
}) {
  const { agent, section, user, revision, children } = props;
  return (
    <TextLink href={placeOf(agent, "sections", section, { user, revision: revision ? revision : undefined })}>
      <bdi className="[overflow-wrap:anywhere]">{children ?? section}</bdi>
    </TextLink>
  );
}

type ToUserProps = Whose & { readonly inTabOrder?: boolean };

/** A user's name, which leads to their turns. */
export function ToUser({ agent, user, inTabOrder = true }: ToUserProps) {
  if (user === undefined) return <span>no user</span>;
  return (
    <TextLink href={placeOf(agent, "turns", undefined, { user })} inTabOrder={inTabOrder}>
      <bdi className="[overflow-wrap:break-word]">{shownName(user)}</bdi>
    </TextLink>
  );
}

/** What broke the cached prefix, in a sentence; the section and the turn in it lead to where they are. */
export function Broke(props: {
  readonly broke: CacheBreak;
  readonly agent: string;
  readonly user: string | undefined;
  readonly here: string;
}) {
  const { broke, agent, user, here } = props;
  const { section, turn } = broke;
  return (
    <span className={`[overflow-wrap:anywhere] ${broke.what === "opened" ? "text-soft" : ""}`}>
      {brokeWords(broke).map((words) => {
        if (words.is === "section" && section !== null)
          return <ToSection key="section" agent={agent} section={section} user={user} revision={broke.revision} />;
        if (words.is === "turn" && turn !== null && turn !== here)
          return (
            <TextLink key="turn" href={placeOf(agent, "turns", turn)}>
              {words.text}
            </TextLink>
          );
        return <bdi key={words.text}>{words.text}</bdi>;
      })}
    </span>
  );
}

export type BrokeWords = { readonly text: string; readonly is: "words" | "section" | "turn" };

/** What broke the cache, with the section and the turn it names set apart, so that they can lead there. */
export function brokeWords({ says, section, turn }: CacheBreak): readonly BrokeWords[] {
  const named: readonly (readonly [string | null, BrokeWords["is"]])[] = [
    [section, "section"],
    [turn, "turn"],
  ];
  let words: readonly BrokeWords[] = [{ text: says, is: "words" }];
  for (const [name, is] of named) {
    if (name === null || name === "") continue;
    const at = words.findIndex((one) => one.is === "words" && one.text.includes(name));
    const found = words[at];
    if (!found) continue;
    const start = found.text.indexOf(name);
    const parts: readonly BrokeWords[] = [
      { text: found.text.slice(0, start), is: "words" },
      { text: name, is },
      { text: found.text.slice(start + name.length), is: "words" },
    ];
    words = [...words.slice(0, at), ...parts.filter(({ text }) => text !== ""), ...words.slice(at + 1)];
  }
  return words;
}
