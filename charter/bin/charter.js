#!/usr/bin/env node
// The command's first file. Plain JavaScript that an old Node can read, because it is the one that says so, and
// finds a newer Node where the packages brought one. It runs at every start: builtins only, each when needed.

if (!newEnough(process.versions.node)) await runOn(await findNode());
else if (process.pid === 1) await runOn(process.execPath);
else process.exitCode = await run();

function newEnough(version) {
  const [major, minor] = version.replace("v", "").split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

async function run() {
  if (process.env.CHARTER_LIFELINE !== undefined) await import("./lifeline.js");
  else if (process.env.npm_command !== undefined) (await import("./parent.js")).endWithParent();
  if (process.env._?.endsWith("nohup") && (await import("./signals.js")).ignoresHangup())
    process.on("SIGHUP", () => {});
  process.getBuiltinModule("node:module").enableCompileCache?.();
  const source = new URL("../src/cli/main.ts", import.meta.url);
  const fromSource = process.getBuiltinModule("node:fs").existsSync(source);
  silenceAnnouncements();
  resolveBriefly(fromSource);
  const { main } = await import(fromSource ? source.href : new URL("../dist/cli/main.js", import.meta.url).href);
  return await main(process.argv.slice(2));
}

/**
 * Our own files name each other by their exact relative path, so there is nothing to look up. Node's own resolution
 * asks the disk five questions a file, which at 35 files is a third of a bare start.
 */
function resolveBriefly(fromSource) {
  const [folder, ending, format] = fromSource ? ["../src/", ".ts", "module-typescript"] : ["../dist/", ".js", "module"];
  const own = new URL(folder, import.meta.url).href;
  process.getBuiltinModule("node:module").registerHooks({
    resolve(specifier, context, next) {
      if (specifier[0] === "." && specifier.endsWith(ending) && context.parentURL?.startsWith(own))
        return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true };
      return next(specifier, context);
    },
  });
}

/**
 * Some versions announce on stderr that they strip types, have SQLite, or that a project's package.json names no kind of module,
 * which a charter.config.ts needs not; every other warning still comes through.
 */
function silenceAnnouncements() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    if (!/^(?:(?:Type Stripping|SQLite) is an experimental|Module type of )/.test(String(warning)))
      emitWarning.call(process, warning, ...rest);
  };
}

/**
 * In a child that stands for this process: a newer Node, or the same for process 1 of a container, which no signal would end
 * before the command listens to it.
 */
async function runOn(node) {
  if (!node) return refuse();
  const { runChild } = await import("./child.js");
  const { endAs } = await import("./signals.js");
  const { fileURLToPath } = await import("node:url");
  const self = fileURLToPath(import.meta.url);
  const ended = await runChild(node, [...process.execArgv, self, ...process.argv.slice(2)]);
  if (ended.error) refuse();
  else endAs(ended);
}

/** The Node that came as a package: the nearest one upwards that is new enough. */
async function findNode() {
  const { existsSync, readFileSync } = await import("node:fs");
  const { dirname, join } = await import("node:path");
  const { fileURLToPath } = await import("node:url");
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const home = join(folder, "node_modules", `node-${process.platform}-${process.arch}`);
    const node = join(home, "bin", "node");
    if (existsSync(node) && newEnough(JSON.parse(readFileSync(join(home, "package.json"), "utf8")).version))
      return node;
    if (folder === dirname(folder)) return undefined;
  }
}

function refuse() {
  process.stderr.write(
    `node-too-old: Charter needs Node 22.18 or newer; this is ${process.versions.node}.\n` +
      `Hint: install Node 24 from https://nodejs.org, or add the package node-${process.platform}-${process.arch}@24 if there is one.\n`,
  );
  process.exitCode = 2;
}
