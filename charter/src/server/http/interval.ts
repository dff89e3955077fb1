/** Does something again and again, and gives back what stops it. It keeps no process from ending. */
export type Every = (milliseconds: number, work: () => void) => () => void;

export const every: Every = (milliseconds, work) => {
  const timer = setInterval(work, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};
