import type { Answer, Ask } from "./opened.ts";

/** What became of one turn that someone asked for over HTTP. */
export type Came = { readonly input: string; readonly status: number; readonly code: string; readonly reply: string };

export type Load = {
  readonly came: readonly Came[];
  /** Resolves when so many more were answered with this status. */
  readonly until: (status: number, more: number) => Promise<void>;
  readonly stop: () => Promise<void>;
  /** What was not as it has to be: another shape, another status, or no answer at all. */
  readonly faults: readonly string[];
};

/** Longer than anything may take; who waits longer was forgotten. */
const forgottenMs = 240_000;

/** Several people who ask one thing after the other, whatever the answers are. */
export function startLoad(people: readonly Ask[], agent: string, { pauseMs = 5 } = {}): Load {
  const came: Came[] = [];
  const faults: string[] = [];
  const waiting = new Set<() => void>();
  let over = false;
  const one = async (ask: Ask, lane: number) => {
    for (let number = 1; !over; number++) {
      const input = `question ${lane}-${number}`;
      const answer = await Promise.race([
        ask(`POST /api/agents/${agent}/turns`, { input }).catch((error: Error) => error),
        new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), forgottenMs).unref()),
      ]);
      if (!answer || answer instanceof Error) faults.push(`“${input}” was never answered: ${answer?.message}`);
      else {
        const code = answer.body?.error?.code ?? "";
        came.push({ input, status: answer.status, code, reply: answer.body?.reply ?? "" });
        if (answer.status !== 200) faults.push(...shapeFaults(answer).map((fault) => `“${input}”: ${fault}`));
        else if (answer.body.reply !== `Re: ${input}`) faults.push(`“${input}” was answered with ${answer.body.reply}`);
      }
      for (const look of waiting) look();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const lanes = people.map(one);
  const count = (status: number) => came.filter((each) => each.status === status).length;
  return {
    came,
    faults,
    until: (status, more) =>
      new Promise((resolve) => {
        const wanted = count(status) + more;
        const look = () => {
          if (count(status) < wanted) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
      }),
    stop: async () => {
      over = true;
      await Promise.all(lanes);
    },
  };
}

/** Every answer that is no success has the one shape, and a status that is meant. */
export function shapeFaults({ status, text, body }: Answer): string[] {
  const { code, message, hint, ...rest } = body?.error ?? {};
  const whole = [code, message, hint].every((words) => typeof words === "string" && words !== "");
  const known = Object.keys(rest).every((name) => ["request", "turn", "refusals", "faults"].includes(name));
  return [
    ...(whole && known ? [] : [`${status} has another shape: ${text.slice(0, 200)}`]),
    ...(code === "internal" || status === 500 ? [`nobody foresaw ${text.slice(0, 300)}`] : []),
  ];
}
