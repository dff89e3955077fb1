const { statSync, realpathSync } = process.getBuiltinModule("node:fs");
const { extname, join } = process.getBuiltinModule("node:path");

const endings = [".ts", ".mts", ".js", ".mjs", ".cjs", ".cts", ".json"];
const written: Readonly<Record<string, string>> = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" };

/**
 * The file a relative import means. TypeScript's authors write `./helper`, `./helper.js` for helper.ts, and a directory
 * for its index; Node takes only the exact name.
 */
export function moduleFile(path: string): string | undefined {
  const ending = extname(path);
  const meant = written[ending];
  const candidates = [
    path,
    ...(meant === undefined ? [] : [path.slice(0, -ending.length) + meant]),
    ...endings.map((one) => path + one),
    ...endings.map((one) => join(path, `index${one}`)),
  ];
  const file = candidates.find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
  return file === undefined ? undefined : realpathSync(file);
}
