import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { type LoopbackModel, openLoopbackModel } from "./loopback-model.ts";

/** Where an agent is tried: an empty directory, a home as empty, and a model behind it that is on this machine. */
type ProbeDirectory = {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly loopback: LoopbackModel;
};

/** A key that opens nothing. */
const dummyKey = "sk-ant-api03-loopback-0000000000000000000000000000000000000000";

/** Makes such a place, and takes it away again after the work. */
export async function withProbeDirectory<Result>(
  env: Readonly<Record<string, string>>,
  work: (place: ProbeDirectory) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "charter-probe-"));
  const [home, directory] = [join(folder, "home"), join(folder, "work")];
  const loopback = await openLoopbackModel();
  try {
    await mkdir(directory);
    await writeHome(home, loopback.url);
    return await work({ directory, env: { ...environmentOf(home, loopback.url), ...env }, loopback });
  } finally {
    await loopback.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The files without which an agent would not take the variables below. */
async function writeHome(home: string, url: string): Promise<void> {
  const files: Readonly<Record<string, string>> = {
    ".codex/config.toml": `openai_base_url = "${url}/v1"\n`,
    ".gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  };
  for (const [name, text] of Object.entries(files)) {
    const file = join(home, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** PATH is this process's. The others lead to the loopback model, by the names that the usual agents read. */
function environmentOf(home: string, url: string): Readonly<Record<string, string>> {
  return {
    PATH: [dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter),
    HOME: home,
    ANTHROPIC_API_KEY: dummyKey,
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CODEX_API_KEY: dummyKey,
    CODEX_HOME: join(home, ".codex"),
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    GEMINI_API_KEY: dummyKey,
    GOOGLE_GEMINI_BASE_URL: url,
    NO_BROWSER: "1",
    OPENAI_API_KEY: dummyKey,
    OPENAI_BASE_URL: `${url}/v1`,
  };
}
