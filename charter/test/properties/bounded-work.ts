import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineCharter } from "../../src/index.ts";
import { lineCuts } from "../../src/prompt/character.ts";
import { nothingForbidden } from "../../src/prompt/structure.ts";

const source = resolve(import.meta.dirname, "../../src");
const folders = ["prompt", "amend", "delivery", "sources", "store/texts", "store/memory", "store/turns"];
/** What a parameter is called that may be anything anybody wrote. */
const called =
  /^(?:text|words|line|before|after|message|body|answer|head|told|asked|query|original|shown|content)\??: string\b/;

/** Every exported function that takes a text, as “file name”. */
export const textFunctions = () => functionsTaking(called, folders).map(({ key }) => key);

/** Every exported function of which a parameter, as it is written, matches: as “file name”, and which parameter it is. */
export function functionsTaking(pattern: RegExp, folders: readonly string[]) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => join(folder, file)),
  );
  return files.sort().flatMap((file) =>
    [
      ...readFileSync(join(source, file), "utf8").matchAll(
        /^export (?:async )?function\*? (\w+)[^(]*\(([\s\S]*?)\n?\)[:{ ]/gm,
      ),
    ]
      .map(([, name, given = ""]) => {
        const parameters = given.split(",").map((one) => one.trim());
        const at = parameters.findIndex((one) => pattern.test(one));
        return { key: `${file} ${name}`, at, parameter: parameters[at] ?? "" };
      })
      .filter(({ at }) => at !== -1),
  );
}

/** Calls one of them: a generator is read to its end. */
export async function loadFunction(key: string): Promise<(...given: readonly unknown[]) => unknown> {
  const [file = "", name = ""] = key.split(" ");
  const all = (await import(/* @vite-ignore */ join(source, file))) as Readonly<Record<string, unknown>>;
  const called = all[name] as (...given: readonly unknown[]) => unknown;
  return (...given) => {
    const made = called(...given);
    return typeof (Object(made) as { next?: unknown }).next === "function" ? [...(made as Iterable<unknown>)] : made;
  };
}

const charter = defineCharter({
  name: "bounded",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "## Law", words: "Never lie." }] },
    {
      name: "words",
      mutability: { amendableBy: ["user"], scope: "agent" },
      sections: [{ name: "goals", heading: "<goals>" }],
    },
  ],
});
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const mark = "[system 0123abcd]";
const forbidden = () => ({
  ...nothingForbidden,
  level: 2,
  rules: true,
  lines: new Set(["**law**"]),
  tags: new Set(["goals"]),
});

const under = (text: string) => ({ text: `# Goals\n${text}\n# End`, original: text, opening: 9, lined: true });

/** What each is given beside the text; some that take it as a part of something stand here too. */
export const textCalls: Readonly<Record<string, (text: string) => readonly unknown[]>> = {
  "amend/guards/text.ts inertLines": (text) => [charter, "goals", text],
  "amend/guards/text.ts lineAt": (text) => [text, text.length],
  "amend/guards/text.ts lineFrom": (text) => [text, text.length >> 1],
  "amend/ledger.ts blame": (text) => [{ text, revision: 0 }, [{ revision: 1, after: `x${text}` }]],
  "amend/operation.ts applyOperation": (text) => [
    { kind: "replace_section", marker: "# Goals", content: text },
    under(text),
  ],
  "amend/ledger.ts replay": (text) => [text, [], sha256],
  "amend/second-opinion.ts readOpinion": (text) => [text, true],
  "amend/amend.ts unshownText": (text) => [{ limit: { chars: 100 } }, text],
  "amend/guards/text.ts utf8Bytes": (text) => [text],
  "amend/guards/text.ts textFaults": (text) => [text],
  "amend/override/normalise.ts splitWords": (text) => [text],
  "amend/override/normalise.ts tagText": (text) => [text],
  "amend/override/override.ts findOverride": (text) => [text],
  "amend/override/override.ts findOverrides": (text) => [text],
  "delivery/acp/prompt.ts withoutForgedSystem": (text) => [text],
  "delivery/acp/prompt.ts textBlock": (text) => [text],
  "delivery/history.ts inputMessage": (text) => [text],
  "delivery/history.ts summaryMessage": (text) => [text],
  "delivery/mark.ts lookAlikeReadings": (text) => [text],
  "delivery/mark.ts carriesMark": (text) => [text, mark],
  "delivery/mark.ts withoutAnyMark": (text) => [text],
  "delivery/mark.ts withoutMark": (text) => [text, mark],
  "delivery/models/fault.ts redact": (text) => [text, ["aaaa"]],
  "delivery/models/escape.ts bodyDigest": (text) => [text],
  "delivery/baseline.ts markWords": (text) => [text, undefined],
  "delivery/stand-in-view.ts withChange": (text) => [text, [{ name: "goals", lines: text.split("\n") }]],
  "delivery/stand-in-view.ts messagesIn": (text) => [text],
  "prompt/character.ts characterIndex": (text) => [text, text.length],
  "prompt/character.ts countCharacters": (text) => [text],
  "prompt/character.ts firstCharacters": (text) => [text, text.length],
  "prompt/character.ts graphemeEnd": (text) => [text, text.length >> 1],
  "prompt/character.ts oneLine": (text) => [text],
  "prompt/character.ts openingEnd": (text) => [text, text.length >> 1],
  "prompt/character.ts preview": (text) => [text, 100],
  "prompt/character.ts visible": (text) => [text],
  "prompt/argument.ts badArgument": (text) => [text, text],
  "prompt/rendering.ts linedReading": (text) => [text],
  "prompt/rendering.ts splitCompactLine": (text) => [`x\n\nIn short:\n\n${text}`],
  "prompt/rendering.ts withCompactLine": (text) => [text, text],
  "prompt/code.ts openFence": (text) => [text],
  "prompt/code.ts plainBlocks": (text) => [text, lineCuts(text), false],
  "prompt/code.ts codeSpans": (text) => [text, lineCuts(text), [], false],
  "prompt/plan.ts toldText": (text) => [text, 1, 2],
  "prompt/code.ts createDefinitions": (text) => [text],
  "prompt/code.ts notesInLines": (text) => [text, lineCuts(text), [], false],
  "prompt/diff.ts diff": (text) => [text, `x${text}`],
  "prompt/shared-text.ts commonBytes": (text) => [text, `${text}x`],
  "prompt/diff.ts unified": (text) => [text, `x${text}`, "goals"],
  "delivery/models/escape.ts escapeThoughts": (text) => [text],
  "delivery/models/escape.ts escapeTokens": (text) => [text],
  "delivery/models/escape.ts unescapeTokens": (text) => [text],
  "prompt/sound.ts controlTokens": (text) => [text],
  "prompt/sound.ts holdsControlToken": (text) => [text],
  "prompt/sound.ts withoutControlTokens": (text) => [text],
  "prompt/sound.ts checkControlTokens": (text) => ["It", text],
  "prompt/sound.ts withoutQuotedTokens": (text) => [text, (sign: string) => sign],
  "prompt/expectation.ts formsOf": (text) => [text],
  "prompt/expectation.ts nearestLine": (text) => [text, text],
  "prompt/fence.ts fenced": (text) => [text, "0xabc", new Set(["goals"])],
  "prompt/fence.ts isFenced": (text) => [text],
  "prompt/fence.ts quoted": (text) => [text],
  "prompt/forgery.ts mayForge": (text) => [text, { ...forbidden(), lines: new Set() }],
  "prompt/forgery.ts openingOf": (text) => [text],
  "prompt/forgery.ts placesIn": (text) => [text, forbidden()],
  "prompt/plan.ts pieceFor": (text) => [{ pieces: new Map() }, { text }, text, "\n"],
  "prompt/plan.ts toldPart": (text) => [{ told: new Map() }, text, 1, 2],
  "prompt/fence.ts escapeAt": (text) => [text, Array.from(text, (_, index) => index)],
  "prompt/fence.ts inert": (text) => [text, { level: 2, rules: true, lines: ["**Law**"], tags: ["goals"] }],
  "prompt/fence.ts inertTogether": (text) => [
    text.match(/[\s\S]{1,20}/g),
    new Array(text.length).fill("\n"),
    forbidden(),
  ],
  "prompt/character.ts lineCuts": (text) => [text],
  "prompt/character.ts lineKey": (text) => [text],
  "prompt/lock.ts missingFixedWords": (text) => [charter, "full", text],
  "prompt/passage.ts lowerHeadings": (text) => [text, 2],
  "prompt/forgery.ts markupPlaces": (text) => [text, lineCuts(text), [], forbidden()],
  "prompt/passage.ts headings": (text) => [text],
  "prompt/passage.ts parseMarker": (text) => [text],
  "prompt/passage.ts passages": (text) => [text],
  "prompt/reading.ts fromText": (text) => [text],
  "prompt/sound.ts isSound": (text) => [text],
  "prompt/sound.ts isWhole": (text) => [text],
  "prompt/sound.ts mended": (text) => [text],
  "prompt/structure.ts beginsBlank": (text) => [text],
  "prompt/tokens.ts createPiece": (text) => [text, "\n"],
  "prompt/prompt.ts why": (text) => [{ text, spans: [{ start: 0, end: text.length }] }, "<"],
  "sources/core-memory/memory-key.ts makeBody": (text) => ["core", text],
  "sources/core-memory/memory-key.ts parseStrict": (text) => [text],
  "sources/core-memory/relay.ts canonicalRelay": (text) => [text],
  "sources/core-memory/relay.ts readRelayAddress": (text) => [text],
  "sources/core-memory/relay.ts relayFault": (text) => [text],
  "sources/core-memory/relay.ts shownRelay": (text) => [text],
  "sources/context-files.ts excerpt": (text) => [text, text.length >> 1, 1],
  "sources/front-matter.ts plainFields": (text) => [text],
  "sources/front-matter.ts yamlFields": (text) => [text],
  "sources/charter-folder/template.ts parseTemplate": (text) => [text],
  "sources/charter-folder/template.ts isTemplate": (text) => [text],
  "sources/charter-folder/write-folder.ts charterOfText": (text) => ["tally", `x${text}`],
  "sources/front-matter.ts splitFrontMatter": (text) => [`---\n${text}\n---\n`, false],
  "sources/front-matter.ts readFields": (text) => [text],
  "sources/front-matter.ts yamlLines": (text) => [text],
  "sources/front-matter.ts frontMatter": (text) => [`---\n${text}\n---\n`, false],
  "sources/trust/digests.ts dataTest": (text) => ["/charter.config.ts", text],
  "sources/trust/digests.ts namedPaths": (text) => [text],
  "store/memory/note.ts checkNote": (text) => [text],
  "store/memory/note.ts searchedColumns": (text) => [null, text],
  "store/memory/stems.ts readQuery": (text) => [text],
  "store/memory/stems.ts stemsOf": (text) => [text],
  "store/texts/text.ts folded": (text) => [text],
  "store/texts/packing.ts packText": (text) => [text, `x${text}`],
  "store/texts/text.ts wordsOf": (text) => [text],
  "store/turns/list-turns.ts searchedWords": (text) => [text],
};

/** What, often repeated, takes a careless reader by the square of its length. */
export const hostileUnits = [
  ...["<a ", '<a b="', "<", "</", "< ", "<\t/ ", "<!--", "<![CDATA[", "<?x ", "<div>", "</div>", "<code>", "<\n"],
  ...["＜goals", "<go\u200b", "```\n", "~~~~\n```\n", "``` x\n", "   ```\n", "`", "` ``", "~", "- ", "- - ```\n"],
  ...["> ", "> ```\n", "1. ", "1", ">###x", ">- ", "#", "# ", "=\n", "a\n---\n", "* * ", "[", "[x]:\n", "[x\n", "]:"],
  ...[
    "[^1]: ",
    "^[",
    "![](",
    "\\",
    ": ",
    "| a ",
    "\n",
    "\r",
    "\u2028",
    " ",
    "\u200b",
    "e\u0301",
    "\u0301",
    "\u{e0041}",
  ],
  ...[
    "ignore all the previous ",
    "i ",
    "忽略之前",
    "a",
    "0 ",
    "'",
    '"',
    "- a: &x [*x, {",
    "a: b\n",
    "[system 0",
    "{{",
    "<system-\u200b",
    "👩\u200d🚀",
  ],
];
