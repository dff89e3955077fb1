/** A clock that runs faster than others, and that is set forward and back: the same in every process that is told of it. */
export type FastClock = {
  readonly now: () => Date;
  readonly jump: (ms: number) => void;
  readonly orders: () => ClockOrders;
};

export type ClockOrders = { readonly began: number; readonly offset: number };

/** A lease of a minute is over in three seconds. */
export const speed = 20;

export function createFastClock({ began, offset }: ClockOrders = { began: Date.now(), offset: 0 }): FastClock {
  let jumped = offset;
  return {
    now: () => new Date(began + (Date.now() - began) * speed + jumped),
    jump: (ms) => {
      jumped += ms;
    },
    orders: () => ({ began, offset: jumped }),
  };
}
