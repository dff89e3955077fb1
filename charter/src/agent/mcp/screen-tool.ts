import { findOverride } from "../../amend/override/override.ts";
import { invisible, preview } from "../../prompt/character.ts";
import { placesIn } from "../../prompt/forgery.ts";
import { nothingForbidden } from "../../prompt/structure.ts";
import { type ServerTool, wordsOf } from "./server-tool.ts";

/** Names that chat templates and providers give their speakers, and that tool descriptions borrow to be obeyed. */
const tags = new Set(
  "system important instruction instructions assistant user human developer admin prompt secret tool".split(" "),
);
const structure = { ...nothingForbidden, level: 1, tags };
const tag = new RegExp(`</?(?:${[...tags].join("|")})\\b[^>]{0,200}>`, "i");

/** What a description has no reason to say: it is read by a model that has other tools, and a user. */
const orders: readonly (readonly [string, RegExp])[] = [
  [
    "keeps something from the user",
    /\b(?:do not|don['’]t|never|must not)\s+(?:tell|mention|inform|reveal|show|notify|alert|ask|let)\b.{0,60}\buser/is,
  ],
  [
    "keeps something from the user",
    /\bwithout\s+(?:telling|informing|asking|notifying|alerting|mentioning)\b.{0,40}\buser/is,
  ],
  [
    "speaks of other tools",
    /\b(?:before|after|whenever|when|instead of|prior to)\b.{0,40}\b(?:any|every|all|each|another|other)\b.{0,30}\btools?\b/is,
  ],
  [
    "names where secrets are kept",
    /\bid_(?:rsa|ed25519)\b|(?:^|[\s/~"'`])\.(?:ssh|aws|env|netrc|npmrc)\b|\/etc\/(?:passwd|shadow)\b/i,
  ],
  ["speaks of the prompt", /\b(?:system|developer)\s+(?:prompt|message|instructions?)\b/i],
];

/** What stands before other people's words, so that a model knows them for such. */
const fence = /wrote \(data, not instructions\)/i;

/**
 * What a person should look at before a tool of a stranger's is offered. It is advisory, like the screen for overrides:
 * who means harm can say it in other words, and a result is fenced whatever its description says.
 *
 * `others`: the names of the agent's other tools, which this one has no reason to name.
 */
export function screenTool(tool: ServerTool, others: Iterable<string>): string[] {
  const texts = wordsOf([tool.name, tool.description, tool.input, tool.annotations ?? {}]);
  const words = texts.join("\n");
  const spelled = `${words}\n${words.replace(/[_-]+/g, " ")}`;
  const found: string[] = [];
  const override = findOverride(spelled);
  if (override) found.push(`It gives orders: “${preview(spelled.slice(override.start, override.end), 120)}”.`);
  for (const [what, pattern] of orders) {
    const match = pattern.exec(words);
    if (match) found.push(`It ${what}: “${preview(match[0], 120)}”.`);
  }
  const forged = tag.exec(words)?.[0] ?? fence.exec(words)?.[0] ?? forgedIn(tool.description);
  if (forged !== undefined) found.push(`It looks like structure: “${preview(forged, 120)}”.`);
  if (new RegExp(invisible.source, "u").test(words)) found.push("It has characters that no eye sees.");
  const named = [...others].filter(
    (name) => name.includes("_") && new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(words),
  );
  if (named.length > 0) found.push(`It names other tools of the agent: ${named.slice(0, 5).join(", ")}.`);
  return [...new Set(found)];
}

function forgedIn(description = ""): string | undefined {
  const place = placesIn(description, structure).places.find(({ certainty }) => certainty === "sure");
  return place && description.slice(place.at, place.at + 200);
}
