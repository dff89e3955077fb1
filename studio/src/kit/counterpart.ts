const prefix = "counterpart:";

/** Who writes letters stands where a user does, under a name no user has: “counterpart:shop/bo”. */
export function counterpartKey(name: string): string {
  return isCounterpart(name) ? name : prefix + name;
}

export function isCounterpart(user: string): boolean {
  return user.startsWith(prefix);
}

/** The name to show: that of a user as it is, that of who writes letters without what stands before it. */
export function shownName(user: string): string {
  return isCounterpart(user) ? user.slice(prefix.length) : user;
}
