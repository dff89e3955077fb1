import { type Purpose, packageMissing, packageOf } from "./missing-package.ts";

/** Where the package `charter-service` is: its package.json and its studio, as URLs. */
type ServicePlace = { readonly manifest: string; readonly studio: string };

let place: ServicePlace | undefined | null = null;

/**
 * Finds `charter-service` beside this package. From then on what our own files import of its dependencies is what it has
 * itself: a project may have another hono, and npm then keeps the service's where only the service would find it.
 * Where Node's hooks are missing (in Bun), each package is looked for as usual.
 */
export function findService(): ServicePlace | undefined {
  if (place === null) {
    place = locate();
    if (place) resolveFrom(place.manifest);
  }
  return place;
}

/** The server is made of its packages throughout: it is there when all of it is. */
export function requireService(purpose: Purpose): ServicePlace {
  const found = findService();
  if (found === undefined) throw packageMissing("charter-service", purpose);
  return found;
}

function locate(): ServicePlace | undefined {
  const builtin = globalThis.process?.getBuiltinModule;
  if (builtin === undefined) return undefined;
  try {
    const path = builtin("node:module")
      .createRequire(import.meta.url)
      .resolve("charter-service/package.json");
    const manifest = builtin("node:url").pathToFileURL(path).href;
    return { manifest, studio: new URL("studio/", manifest).href };
  } catch {
    return undefined;
  }
}

function resolveFrom(manifest: string): void {
  const { registerHooks } = process.getBuiltinModule("node:module");
  if (registerHooks === undefined) return;
  const text = process.getBuiltinModule("node:fs").readFileSync(new URL(manifest), "utf8");
  const names = new Set(Object.keys((JSON.parse(text) as { dependencies: object }).dependencies));
  // zod is a dependency of ours as well: what is not the server's is made with our own.
  names.delete("zod");
  const home = new URL("../../", import.meta.url).href;
  const isOurs = (file = "") => file.startsWith(home) && !file.startsWith("node_modules/", home.length);
  registerHooks({
    resolve: (specifier, context, next) =>
      isOurs(context.parentURL) && names.has(packageOf(specifier) ?? "")
        ? next(specifier, { ...context, parentURL: manifest })
        : next(specifier, context),
  });
}
