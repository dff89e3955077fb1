import { counted, Problem } from "../../../prompt/problem.ts";
import { colours } from "../../print/colour.ts";
import { sizeText } from "../../print/size.ts";
import { noMoreWords, parseOptions, wholeNumber } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("retain", args, {
    ...storeOptions,
    receipts: { type: "string" },
    events: { type: "string" },
    deliveries: { type: "string" },
    attachments: { type: "string" },
    "dry-run": { type: "boolean" },
  });
  noMoreWords("retain", positionals);
  const retention = {
    receipts: wholeNumber("receipts", values.receipts),
    events: wholeNumber("events", values.events),
    deliveries: wholeNumber("deliveries", values.deliveries),
    attachments: wholeNumber("attachments", values.attachments),
  };
  if (Object.values(retention).every((days) => days === undefined))
    throw new Problem(
      "usage",
      "charter retain needs --receipts, --events, --deliveries or --attachments.",
      "Give days, as in --receipts 90 --events 30. See charter retain --help.",
    );
  const dryRun = values["dry-run"] ?? false;
  const went = await withStore(values, (store) => store.retain(retention, { dryRun }));
  const paint = colours(process.stdout);
  const { receipts, events, deliveries, attachments, texts, bytes } = went;
  const counts = [
    counted(receipts, "receipt"),
    counted(events, "event"),
    counted(deliveries, "delivery", "deliveries"),
    ...(attachments > 0 ? [counted(attachments, "attachment")] : []),
  ];
  const what = `${counts.join(", ")} and ${counted(texts, "text")}, ${sizeText(bytes)}`;
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ ...went, dryRun })}\n`
      : dryRun
        ? `This would be deleted: ${what}. Nothing was changed.\n`
        : `${paint.green("deleted")} ${what}. The history still verifies.\n`,
  );
  return 0;
}
