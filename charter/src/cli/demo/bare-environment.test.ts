import { expect, test } from "vitest";
import { bareEnvironment } from "./demo.ts";

test("a demo keeps the terminal and where programs are, and nothing that opens a door", () => {
  const kept = { PATH: "/bin", HOME: "/home/olga", TERM: "xterm", LC_ALL: "C", TZ: "UTC", npm_command: "start" };
  const left = {
    ...{ OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2", A_NEW_PROVIDERS_KEY: "sk-3" },
    ...{ TELEGRAM_BOT_TOKEN: "1:a", TELEGRAM_SECRET: "s", DATABASE_URL: "postgres://x", PGPASSWORD: "p" },
    ...{ CHARTER_DATABASE: "x.db", CHARTER_HOST: "0.0.0.0", CHARTER_JWT_SECRET: "j", CHARTER_MODEL: "openai/gpt-5" },
    ...{ OPENAI_BASE_URL: "https://x", HTTPS_PROXY: "http://x", npm_config__auth: "n", NSEC: "nsec1" },
  };
  expect(bareEnvironment({ ...kept, ...left, TMP: undefined })).toEqual(kept);
});
