import type { MiddlewareHandler } from "hono";
import type { ApiEnv } from "../api.ts";

/**
 * What the page for users is told, by name. What is not named is the operator's: what a turn cost and which model took
 * it, which process ran it, what stands in prompts. A new field is not told there before it stands here.
 */
const told = new Set(
  `
  agent agents by demo id kind label name user zone
  files kinds linked maxBytes maxCount possible sections session standIn telegram waiting
  amendableBy heading mutability original revision text updatedAt updatedByTurn
  actor after amendments at because before compact content diff end erasedAt guard held holds inert line marker missing operation places
  proposal proposals reason refusals repeated scope section shown to unshown verdict what
  asks call calls cause decidedAt decidedBy decisionReason endedAt input result status takenAt tool
  details question sentence
  code edited from message more notices shortened source stale total
  attachments bytes channel digest firstInput height lastAt mediaType pages reply sessions single startedAt state stopping
  tainted told total turn turns width
  forgotten key notes
  cancelled cron dueAt maxTries missed nextAt nextTryAt overlap runs schedule schedules title tries
  address expiresAt identities issuer links subject unlinked url
  afterWords beforeWords body data decidedBecause dispatches erased exportedAt memories rows sentAt size standing
  updates words
`.match(/\w+/g),
);

/** What is in them is what a tool was given and gave, or counted by table: their names are nobody's choice here. */
const whole = new Set(["input", "output", "result", "rows"]);

/** An answer as the page for users is given it. */
export function userAnswer<Answer>(answer: Answer): Answer {
  if (Array.isArray(answer)) return answer.map(userAnswer) as Answer;
  if (typeof answer !== "object" || answer === null) return answer;
  const own = Object.entries(answer).filter(([name]) => told.has(name));
  return Object.fromEntries(own.map(([name, value]) => [name, whole.has(name) ? value : userAnswer(value)])) as Answer;
}

/** Every answer in JSON that is a success; what goes wrong has words for users anyway, and streams are made for them. */
export const answerUsers: MiddlewareHandler<ApiEnv> = async (context, next) => {
  await next();
  const { ok, status, headers } = context.res;
  if (!ok || !headers.get("content-type")?.includes("json") || context.req.method === "HEAD") return;
  const answer = userAnswer(await context.res.json());
  context.res = new Response(JSON.stringify(answer), { status, headers });
};
