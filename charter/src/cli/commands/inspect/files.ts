import type { FilesInput } from "../../../operations/here/project.ts";
import { colours, columns, diagnosticLines, oneLine } from "../../../operations/print/columns.ts";
import { counted } from "../../../prompt/problem.ts";
import type { Tokenizer } from "../../../prompt/tokens.ts";
import { unusedReasons as why } from "../../../sources/disk/file.ts";
import type { ConsideredFile } from "../../../sources/disk/findings.ts";
import { projectTrust } from "../../../sources/trust/trust.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { placesOf, trustHint, workbenchOf } from "../../shared/directory.ts";
import { tokenizerFor } from "../../shared/prompt-options.ts";

/** Every file a coding agent's prompt could be made of here: used or not, why, and what it weighs. */
export async function run({ input, json }: ParsedCommand): Promise<number> {
  const values = input as FilesInput;
  const places = placesOf(values);
  const workbench = workbenchOf(values);
  await workbench.lines();
  const { diagnostics } = workbench.project.look();
  const tokenizer = await tokenizerFor(values.tokenizer, { exactly: false });
  const files = workbench.considered().map((file) => weighed(file, tokenizer));
  const faults = workbench.faults();
  workbench.close();
  if (json) {
    const { trust } = projectTrust(places);
    process.stdout.write(`${JSON.stringify({ ...places, trust, files, diagnostics, extensions: faults })}\n`);
    return 0;
  }
  const paint = colours(process.stdout);
  const shown = files.filter(({ used, reason }) => used || reason !== why.absent);
  const absentOnes = files.length - shown.length;
  const cells = shown.map(({ used, role, tokens, path, reason }) => [
    used ? "✓" : "–",
    role,
    tokens === undefined ? "" : String(tokens),
    reason === undefined ? path : `${path}  (${reason})`,
  ]);
  const withheld = files.some(({ reason }) => reason === why.untrusted);
  const hint = withheld ? trustHint(values, places) : undefined;
  const total = files.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
  const lines = [
    ...(cells.length > 0
      ? columns(["", "what", "tokens", "file"], cells, process.stdout)
      : ["No files are used here."]),
    paint.dim(
      `${counted(total, "token")} (${tokenizer.exact ? "exact" : "estimated"}) from files. Also checked, and not there: ${counted(absentOnes, "place")}; --json lists them.`,
    ),
    ...(hint === undefined ? [] : [paint.yellow(oneLine(hint))]),
    ...diagnosticLines(diagnostics, process.stdout),
    ...faults.map(({ code, message }) => `${paint.yellow(code)}: ${oneLine(message)}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}

function weighed({ text, ...file }: ConsideredFile, tokenizer: Tokenizer) {
  return text === undefined ? { ...file, tokens: undefined } : { ...file, tokens: tokenizer.count(text) };
}
