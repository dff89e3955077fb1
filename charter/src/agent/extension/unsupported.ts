/** Told by name when something that is not here is used. */
export type OnUse = (name: string) => void;

/**
 * What extensions may ask of pi and is not here: any depth of names, each of which can be called, does nothing and gives
 * nothing back. It is never mistaken for a promise.
 */
function unsupported(name: string, used: OnUse): object {
  const nothing = () => {
    used(name);
    return undefined;
  };
  return new Proxy(nothing, {
    get: (target, key) => (isOwn(target, key) ? Reflect.get(target, key) : unsupported(`${name}.${String(key)}`, used)),
  });
}

/** An object that has what it has; the rest of what is asked of it is beyond it. */
export function withUnsupported<Own extends object>(own: Own, prefix: string, used: OnUse): Own {
  return new Proxy(own, {
    get: (target, key) =>
      isOwn(target, key) ? Reflect.get(target, key) : unsupported(`${prefix}${String(key)}`, used),
  });
}

/** Also what every object has, and what would make one a promise. */
function isOwn(target: object, key: string | symbol): boolean {
  return typeof key === "symbol" || key === "then" || key === "toJSON" || key in target;
}
