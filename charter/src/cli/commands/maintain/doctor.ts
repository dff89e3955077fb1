import type { Environment } from "../../../delivery/models/provider.ts";
import { builtInCalled } from "../../../host/built-in.ts";
import { readLock } from "../../../host/load.ts";
import { ownAddresses } from "../../../host/named-source.ts";
import { colours, edgeOf, oneLine } from "../../../operations/print/columns.ts";
import { hintsHere } from "../../../operations/print/command-name.ts";
import { wrapText } from "../../../operations/print/plain-text.ts";
import { listed, Problem, rethrowUnlessProblem } from "../../../prompt/problem.ts";
import { configurationOf } from "../../../server/config.ts";
import { hostUrl } from "../../../server/http/this-server.ts";
import { existsSync } from "../../../sources/input-file.ts";
import type { Checkup, Home } from "../../../store/home/database.ts";
import { checkVersion, unknownData, unknownProblem, versionOf } from "../../../store/schema.ts";
import { createStore } from "../../../store/store.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { hostOf } from "../../shared/host.ts";
import { defaultDatabase, homeOf, type StoreValues } from "../../shared/store.ts";
import { createHere, type Here } from "../../shared/trust/here.ts";
import { untrustedProblem } from "../../shared/trust/settings-file.ts";
import { automataHere, modelTable, usualModel } from "../../shared/trusted-settings.ts";
import {
  askModels,
  checkAcp,
  checkAgents,
  checkMcp,
  checkOverdue,
  checkPrices,
  checkWindows,
} from "./doctor-agents.ts";
import { checkAutomata, checkCores } from "./doctor-automata.ts";
import { compareFixedWords } from "./lock.ts";

type Values = StoreValues & { readonly models?: boolean | undefined };

export async function run({ input, database, json }: ParsedCommand): Promise<number> {
  const values: Values = { ...input, database };
  if (values.models && !json) process.stderr.write("Every model is asked for one word. That costs a word each.\n");
  const here = createHere();
  const checks = [checkNode(), ...(await checkSettings(here)), ...(await checkSources(here))];
  checks.push(await finding(checkLock), ...(await checkCharters()));
  const env = await here.environment();
  checks.push(...(await checkDatabase(values, here, env)), ...(await checkLog(here, env)));
  const fine = checks.every((check) => check.fine);
  process.stdout.write(json ? `${JSON.stringify({ fine, checks })}\n` : `${hintsHere(lines(checks).join("\n"))}\n`);
  return fine ? 0 : 1;
}

/** Turns a Problem into a finding, so that the other checks go on. */
async function finding(check: () => Promise<Checkup>): Promise<Checkup> {
  try {
    return await check();
  } catch (error) {
    rethrowUnlessProblem(error);
    return { what: error.message, fine: false, hint: error.hint };
  }
}

function checkNode(): Checkup {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const what = `Node is ${process.versions.node}.`;
  if (major > 22 || (major === 22 && minor >= 18)) return { what, fine: true };
  return { what, fine: false, hint: "Charter needs 22.18 or newer." };
}

/** Finds files that say where text and keys are sent, and wait for a decision on trust. */
async function checkSettings(here: Here): Promise<Checkup[]> {
  const waiting = await here.untrusted();
  if (waiting.length === 0) return [];
  const { message, hint } = untrustedProblem(waiting);
  return [{ what: message, fine: false, hint }];
}

/** Finds addresses whose words count as the operator's own. */
async function checkSources(here: Here): Promise<Checkup[]> {
  try {
    return ownAddresses(await here.sources()).map(({ message, hint }) => ({ what: message, fine: false, hint }));
  } catch (error) {
    // Settings that cannot be read, or are not trusted, are told of by other checks.
    if (error instanceof Problem) return [];
    throw error;
  }
}

async function checkLock(): Promise<Checkup> {
  if (!existsSync("charter.lock"))
    return { what: "No charter.lock here: fixed texts are not compared with anything.", fine: true };
  const { fixed } = await compareFixedWords("charter.lock");
  return { what: `All ${fixed} fixed sections are as locked in charter.lock.`, fine: true };
}

/** Looks for errors in the project's own charters, with the lint of `charter check`; their cases are left to that command. */
async function checkCharters(): Promise<Checkup[]> {
  if (!existsSync("charter.lock")) return [];
  try {
    const own = Object.keys(readLock("charter.lock").charters).filter((name) => builtInCalled(name) === undefined);
    if (own.length === 0) return [];
    const errors = await (await import("./check.ts")).lintLocked();
    if (errors.length === 0) return [{ what: `The lint finds no error in ${listed(own)}.`, fine: true }];
    return errors.map(({ message, hint }) => ({ what: message, fine: false, hint }));
  } catch (error) {
    // What cannot be loaded, the check of the lock has told.
    if (error instanceof Problem) return [];
    throw error;
  }
}

/** Asks the models of the settings if there are no agents yet. */
async function askWithoutAgents({ models }: Values, here: Here): Promise<Checkup[]> {
  if (!models) return [];
  const known = { models: await modelTable(here), usual: await usualModel(here) };
  return askModels(here, { ...known, agents: [], limits: [] });
}

async function checkDatabase(values: Values, here: Here, env: Environment): Promise<Checkup[]> {
  const namedDatabase = values.database ?? (env.CHARTER_DATABASE || undefined);
  if (namedDatabase === undefined && !existsSync(defaultDatabase))
    return [
      { what: `No database at ${defaultDatabase} yet: \`charter agents add\` makes one.`, fine: true },
      ...(await askWithoutAgents(values, here)),
    ];
  const checks: Checkup[] = [];
  const trouble = await finding(async () => {
    const home = await homeOf({ ...values, here });
    try {
      const version = (await home.look())?.versions.get("store")?.version;
      if (version === undefined)
        return {
          what: `There is no Charter in ${home.place} yet.`,
          fine: false,
          hint: "Make one with `charter migrate`.",
        };
      if (version !== versionOf(home.schema)) await checkVersion(home);
      const reached = { what: `${home.place} answers, with schema ${version}.`, fine: true };
      checks.push(reached, ...(await home.checkup()));
      const store = await createStore(home);
      checks.push(...(await checkUnknown(home)));
      const host = await hostOf(store, here);
      checks.push(...(await checkAgents(store, host)));
      const known = { models: await modelTable(here), usual: await usualModel(here) };
      checks.push(...(await checkWindows(store, env, known)));
      checks.push(...(await checkAutomata(host, await automataHere(here), env)));
      const limits = await host.spendingLimits();
      const agents = await store.agents.list();
      checks.push(
        ...checkPrices(limits),
        ...(values.models ? await askModels(here, { ...known, agents, limits }) : []),
      );
      checks.push(...(await checkCores(host)));
      checks.push(...(await checkAcp(store, () => here.setting("acp"), process.env.PATH)));
      checks.push(...(await checkMcp(store, () => hostOf(store, here))));
      checks.push(...(await checkOverdue(store, new Date())));
      return reached;
    } finally {
      await home.close();
    }
  });
  return trouble.fine ? checks : [...checks, trouble];
}

/** Finds what another program keeps in the database, which commands of this one would leave out. */
async function checkUnknown(home: Home): Promise<Checkup[]> {
  const unknown = await home.read("everything", (db) => unknownData(db, home.schema));
  if (unknown.length === 0) return [];
  const { message, hint } = unknownProblem(home.place, unknown);
  return [{ what: message, fine: false, hint }];
}

function lines(checks: readonly Checkup[]): string[] {
  const { green, red, dim } = colours(process.stdout);
  const [width, indent] = [edgeOf(process.stdout), " ".repeat(6)];
  const listed = checks.flatMap(({ what, fine, hint }) => [
    ...wrapText(oneLine(what), width, indent).map((line, at) =>
      at === 0 ? `${fine ? green("fine ") : red("look ")} ${line.slice(indent.length)}` : line,
    ),
    ...(hint === undefined ? [] : wrapText(oneLine(hint), width, indent).map(dim)),
  ]);
  const needy = checks.filter(({ fine }) => !fine).length;
  return [
    ...listed,
    needy === 0 ? "All is well." : `${needy} ${needy === 1 ? "thing needs" : "things need"} attention.`,
  ];
}

/** Maximum time for a server on this machine to answer, in milliseconds. */
const healthTimeoutMs = 1_000;

/** Checks whether the server of these settings lost lines of its log; silent if none runs. */
async function checkLog(here: Here, env: Environment): Promise<Checkup[]> {
  const at = await addressIn(here, env);
  if (at === undefined) return [];
  const answer = await fetch(`${at}/health`, { signal: AbortSignal.timeout(healthTimeoutMs) }).catch(() => undefined);
  const health = (await answer?.json().catch(() => undefined)) as { readonly lostLogLines?: unknown } | undefined;
  const lost = health?.lostLogLines;
  if (typeof lost !== "number") return [];
  const lines = lost === 1 ? "a line" : `${lost} lines`;
  const hint =
    "Look at the disk its log is written to, or at the program that reads it. It counts until it is started anew.";
  return [{ what: `The server at ${at} could not write ${lines} of its log.`, fine: false, hint }];
}

/** Address of that server; undefined for invalid or untrusted settings, which other checks report. */
async function addressIn(here: Here, env: Environment): Promise<string | undefined> {
  try {
    const { host = "127.0.0.1", port = 4747 } = configurationOf((await here.settings()) ?? {}, env, {});
    return hostUrl(host, port);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
