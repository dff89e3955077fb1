/** Stands for what is made later: whatever it is asked for, that is asked. */
export function standFor<Thing extends object>(made: () => Thing): Thing {
  return new Proxy({} as Thing, { get: (_, name) => Reflect.get(made(), name) });
}
