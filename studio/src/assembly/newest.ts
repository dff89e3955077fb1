/** Asks for one thing at a time. While it waits only the newest wish is kept: those in between are never asked for. */
export type Newest<Wish> = { readonly want: (wish: Wish) => void; readonly close: () => void };

export function createNewest<Wish, Answer>(
  ask: (wish: Wish) => Promise<Answer>,
  /** `last`: nothing newer is wanted by now. */
  told: (outcome: { readonly wish: Wish; readonly last: boolean } & Outcome<Answer>) => void,
): Newest<Wish> {
  let next: { readonly wish: Wish } | undefined;
  let working = false;
  let closed = false;
  const work = async () => {
    working = true;
    while (next && !closed) {
      const { wish } = next;
      next = undefined;
      const outcome = await ask(wish).then(
        (answer): Outcome<Answer> => ({ answer }),
        (problem: Error): Outcome<Answer> => ({ problem }),
      );
      if (!closed) told({ wish, last: next === undefined, ...outcome });
    }
    working = false;
  };
  return {
    want(wish) {
      next = { wish };
      if (!working) void work();
    },
    close() {
      closed = true;
    },
  };
}

export type Outcome<Answer> = { readonly answer: Answer } | { readonly problem: Error };
