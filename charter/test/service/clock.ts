/** The time of day, until a test moves it on: what is due later is due when the test wants it, not when a machine is fast. */
export type MovedClock = {
  (): Date;
  /** It is at least that late now. */
  readonly reach: (time: string) => void;
  /** From now on it runs so many times faster: leases that nobody renews are over sooner. */
  readonly hurry: (times: number) => void;
};

export function movedClock(): MovedClock {
  let [from, began, speed] = [Date.now(), performance.now(), 1];
  const now = () => from + (performance.now() - began) * speed;
  const goOn = (at: number, times: number) => {
    [from, began, speed] = [at, performance.now(), times];
  };
  return Object.assign(() => new Date(now()), {
    reach: (time: string) => goOn(Math.max(now(), Date.parse(time)), speed),
    hurry: (times: number) => goOn(now(), times),
  });
}
