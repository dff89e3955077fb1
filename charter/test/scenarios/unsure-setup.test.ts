import { expect, test } from "vitest";
import { charter, createFolder } from "../cli.ts";

test("what settings would say that are not trusted is not known, so nothing is refused for it, and that is said", () => {
  const there = createFolder({ "charter.config.ts": 'export default { acp: { claude: { command: ["claude"] } } };\n' });
  try {
    const args = ["agents", "add", "ada", "--charter", "assistant", "--model", "acp/claude"];
    const { code, stderr } = charter(args, { cwd: there.path });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^notice: config-untrusted: There is no agent “claude” for the model “acp\/claude”\. That is not for sure: “charter\.config\.ts” in .* says which models and servers there are, and is not used: .*charter trust\.\n$/,
      ),
    ]);
    expect(there.charter(["agents", "--json"]).stdout).toContain("acp/claude");
  } finally {
    there.remove();
  }
});
