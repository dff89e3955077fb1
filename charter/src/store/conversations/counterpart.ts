/**
 * The name of whoever writes to an agent: an address without capitals; or, where a token only says who it is, the
 * token's name, a slash and the sender's (`shop/bo`), as it was said.
 */
export function counterpart(sender: string): string {
  const name = sender.trim();
  return name.includes("/") ? name : name.toLowerCase();
}

const prefix = "counterpart:";

/** Where a user's name stands in a scope, this stands for a counterpart: no user has such a name. */
export function counterpartKey(sender: string): string {
  return `${prefix}${counterpart(counterpartOf(sender))}`;
}

/** Whether a scope's user is a counterpart. */
export function isCounterpart(user: string): boolean {
  return user.startsWith(prefix);
}

/** The name of the counterpart a key stands for. */
export function counterpartOf(key: string): string {
  return isCounterpart(key) ? key.slice(prefix.length) : key;
}
