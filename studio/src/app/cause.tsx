import type { AgentAnswer, TurnAnswer } from "charter/answers";
import { useApi } from "../api/query-client.ts";
import { encodeName } from "../api/request.ts";
import { TextLink } from "../kit/text-link.tsx";
import { placeOf } from "./place.ts";

/** So much of what was said is shown beside a change; the turn has it all. */
const maxShown = 600;

type CauseProps = {
  readonly agent: string;
  readonly turn: string | null;
  /** What is said where nothing is known. */
  readonly none?: string;
};

/**
 * What made an agent change its words, where it gave no reason itself: what the turn was asked. It is read from the
 * turn and kept nowhere else, so it is gone when its user is erased.
 */
export function Cause({ agent, turn, none }: CauseProps) {
  const { data } = useApi<TurnAnswer>(turn === null ? undefined : `/turns/${encodeName(turn)}`);
  const nothing = none === undefined ? null : <p className="text-soft">{none}</p>;
  if (turn === null) return nothing;
  if (!data) return null;
  if (data.state === "erased") return <p className="text-soft text-sm">The input of this turn was erased.</p>;
  const said = [...data.input];
  return (
    <div className="mt-0.5 space-y-0.5 text-sm">
      <p className="text-soft">{causeWords(data)}</p>
      <blockquote dir="auto" className="whitespace-pre-wrap border-line border-s-2 ps-2 [overflow-wrap:anywhere]">
        {said.slice(0, maxShown).join("")}
        {said.length > maxShown && "…"}
      </blockquote>
      {said.length > maxShown && <TextLink href={placeOf(agent, "turns", turn)}>Show all of it in the turn</TextLink>}
    </div>
  );
}

/** Who asked, and whether it can be relied on that nobody else did. */
export function causeWords({ scope, channel, tainted }: Pick<TurnAnswer, "scope" | "channel" | "tainted">): string {
  const asked =
    channel === "scheduled"
      ? "A schedule asked"
      : scope.user === undefined
        ? "The turn was asked"
        : `${scope.user} said`;
  return tainted ? `${asked}, in a turn that also read untrusted text:` : `${asked}:`;
}

type AnsweredByProps = { readonly agent: string; readonly by: AgentAnswer["answersWith"] };

/** Who answers: the model by its name, that it is a stand-in where it is one, or why nobody can. */
export function AnsweredBy({ agent, by: { model, standIn, hint, problem } }: AnsweredByProps) {
  if (problem)
    return (
      <p className="text-bad [overflow-wrap:anywhere]">
        No model can answer for <bdi>{agent}</bdi>: {problem.message} {problem.hint}
      </p>
    );
  return (
    <p className="text-soft [overflow-wrap:anywhere]">
      <bdi>{agent}</bdi> answers with <code className="text-ink">{model}</code>
      {standIn ? (
        <>
          : <strong className="font-medium text-wait">a script stands in for a model</strong>
          <span className="max-sm:hidden">, and really calls the tools. {hint}</span>
          <span className="sm:hidden">.</span>
        </>
      ) : (
        "."
      )}
    </p>
  );
}
