/** No one waits longer than this for work that others have begun. */
const patienceMs = 200;

/**
 * Work that many may ask for at once. Whoever asks gets a result of work that began after they asked; those who ask while
 * it is under way share the next one, which begins when this one is done, or after a moment.
 */
export function share<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;
  const begin = () => {
    next = undefined;
    const begun = work();
    running = begun;
    const over = () => {
      if (running === begun) running = undefined;
    };
    begun.then(over, over);
    return begun;
  };
  return () => {
    if (!running) return begin();
    next ??= settled(running).then(begin);
    return next;
  };
}

function settled(work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    work.then(done, done);
  });
}
