import type { Mutation } from "./mutation.ts";

const found = ["test/package/resolve.test.ts"];
const named = ["src/packages/missing-package.test.ts"];

/** The wrong package, or none, where another is meant. */
export const packages: readonly Mutation[] = [
  {
    name: "service-packages-for-everyone",
    file: "packages/service-package.ts",
    find: "isOurs(context.parentURL) && names.has",
    replace: "names.has",
    noticedBy: found,
  },
  {
    name: "service-packages-of-the-project",
    file: "packages/service-package.ts",
    find: "if (place) resolveFrom(place.manifest);",
    replace: "",
    noticedBy: found,
  },
  {
    name: "zod-of-the-service",
    file: "packages/service-package.ts",
    find: 'names.delete("zod");',
    replace: "",
    noticedBy: found,
  },
  {
    name: "server-without-its-package",
    file: "packages/service-package.ts",
    find: 'if (found === undefined) throw packageMissing("charter-service", purpose);',
    replace: 'if (found === undefined) return { manifest: "", studio: "" };',
    noticedBy: found,
  },
  {
    name: "missing-package-of-a-package",
    file: "packages/load-package.ts",
    find: "missingImport(error) === wanted ?",
    replace: "missingImport(error) !== undefined ?",
    noticedBy: found,
  },
  {
    name: "missing-file-is-a-package",
    file: "packages/missing-package.ts",
    find: "return name === undefined ? undefined : packageOf(name);",
    replace: "return name;",
    noticedBy: named,
  },
];
