const numbers = new Intl.NumberFormat("en");

/** Numbers as people read them. */
export const whole = (value: number): string => numbers.format(value);

export const counted = (value: number, one: string): string => `${whole(value)} ${one}${value === 1 ? "" : "s"}`;

/** A share that is neither nothing nor all is never rounded to either. */
export function percent(part: number, of: number): string {
  const share = (100 * part) / of;
  const shown = part < of && part > 0 ? Math.min(99.9, Math.max(0.1, share)) : share;
  return `${shown.toFixed(part === of || part === 0 ? 0 : 1)} %`;
}
