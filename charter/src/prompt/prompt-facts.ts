import type { Prompt, Sha256 } from "./prompt.ts";
import type { Tokenizer } from "./tokens.ts";

/** What scripts and pages are told of a prompt: the contract other languages work against. */
export function promptFacts(prompt: Prompt, tokenizer: Tokenizer, sha256: Sha256) {
  const { total, tokenizer: name, exact, sections } = prompt.tokens(tokenizer);
  return {
    text: prompt.text,
    digest: prompt.digest(sha256),
    edition: prompt.edition,
    tokens: { total, tokenizer: name, exact },
    sections: prompt.sections.map(({ start, end, gap: _, source, revision, ...section }, index) => ({
      ...section,
      start,
      end,
      tokens: sections[index] as number,
      source,
      revision,
    })),
    cuts: prompt.cuts,
    omitted: prompt.omitted,
    notices: prompt.notices,
  };
}
