import type { AgentAnswer } from "charter/answers";

/** Who answers: the model by its name, that it is a stand-in where it is one, or why nobody can. */
export function AnsweredBy({
  agent,
  by: { model, standIn, hint, problem },
}: {
  readonly agent: string;
  readonly by: AgentAnswer["answersWith"];
}) {
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
