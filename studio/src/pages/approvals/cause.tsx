import { placeOf, saidWith } from "../../app/place.ts";
import { Fence, LongText } from "../../kit/text/long-text.tsx";
import { TextLink } from "../../kit/text-link.tsx";
import { shownName } from "../../kit/words.ts";
import type { HeldCall } from "./waiting.ts";

type Told = NonNullable<HeldCall["cause"]>;

/** What led to it: what the turn was asked, and the untrusted text that was in it, in a fence. */
export function Cause({
  agent,
  user,
  cause,
}: {
  readonly agent: string;
  readonly user: string | undefined;
  readonly cause: Told | null;
}) {
  if (!cause) return null;
  const { from, turn, source, input, text, shortened } = cause;
  return (
    <section aria-label="What led to it" className="space-y-2 text-sm">
      <p className="flex flex-wrap gap-x-3 text-soft text-xs">
        <span>What led to it</span>
        <TextLink href={placeOf(agent, "turns", turn)}>Turn</TextLink>
        {source !== turn && (
          <TextLink href={placeOf(agent, "turns", source)}>Where the untrusted text came in</TextLink>
        )}
        {user !== undefined && <TextLink href={saidWith(agent, user)}>Conversation</TextLink>}
      </p>
      {from !== "message" && input !== "" && (
        <blockquote className="border-line border-l-2 pl-3">
          <p className="text-soft text-xs [overflow-wrap:anywhere]">
            {user === undefined ? "Input" : <bdi>{shownName(user)}</bdi>}
          </p>
          <LongText text={input} max={500} />
        </blockquote>
      )}
      {text !== null && (
        <Fence from={<Where of={cause} />}>
          <LongText text={text} max={500} />
        </Fence>
      )}
      {from === "other" && <p className="text-soft">Untrusted text was in the prompt of this turn.</p>}
      {shortened && <p className="text-soft text-xs">Only the beginning is shown here. The turn has all of it.</p>}
    </section>
  );
}

function Where({ of: { from, tool } }: { readonly of: Told }) {
  const named = tool !== null && (
    <>
      {" "}
      from the tool “<bdi>{tool}</bdi>”
    </>
  );
  if (from === "file") return <>Files that came with the input</>;
  if (from === "conversation") return <>Untrusted text{named}, earlier in this conversation</>;
  return <>Untrusted text{from === "message" ? " in the message" : named}</>;
}
