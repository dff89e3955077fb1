/**
 * Texts that a regular expression matches, as far as it is made of words, alternatives and gaps; the same every time.
 * What cannot be written out (back references, classes left out) gives no text.
 */
export function expansions(source: string, count: number): string[] {
  const texts = Array.from({ length: count }, (_, number) => expand(source, number * 7919 + source.length));
  return [...new Set(texts.filter((text) => text !== undefined).map((text) => text.replace(/\s+/gu, " ").trim()))];
}

function expand(source: string, seed: number): string | undefined {
  let state = seed % 2147483647 || 1;
  let at = 0;
  const pick = (many: number): number => {
    state = (state * 48271) % 2147483647;
    return state % many;
  };

  function alternatives(): string {
    const found = [sequence()];
    while (source[at] === "|") {
      at += 1;
      found.push(sequence());
    }
    return found[pick(found.length)] ?? "";
  }

  function sequence(): string {
    let text = "";
    while (at < source.length && source[at] !== "|" && source[at] !== ")") text += repeated(atom());
    return text;
  }

  function repeated(text: string): string {
    const { 0: mark = "", 1: least } = /^(?:[?*+]|\{(\d+),?\d*\})\??/u.exec(source.slice(at)) ?? [];
    at += mark.length;
    if (mark.startsWith("?")) return pick(2) === 0 ? "" : text;
    if (mark.startsWith("*") || least === "0") return text === " " ? " " : "";
    return text;
  }

  function atom(): string {
    const sign = source[at] ?? "";
    at += 1;
    if (sign === "(") {
      const ahead = /^\?(?:<?[=!]|:|<[a-z]+>|[ims]+:)/iu.exec(source.slice(at))?.[0] ?? "";
      at += ahead.length;
      const text = alternatives();
      at += 1;
      return /^\?<?[=!]/u.test(ahead) ? "" : text;
    }
    if (sign === "[") {
      const body = /^(?:[^\]\\]|\\.)*/u.exec(source.slice(at))?.[0] ?? "";
      at += body.length + 1;
      if (body.startsWith("^")) return "";
      return body.startsWith("\\s") ? " " : body.startsWith("\\") ? body.slice(1, 2) : ([...body][0] ?? "");
    }
    if (sign === "\\") return escaped();
    if (sign === ".") return " ";
    return sign === "^" || sign === "$" ? "" : sign;
  }

  function escaped(): string {
    const sign = source[at] ?? "";
    at += 1;
    if (sign === "s") return " ";
    if (sign === "b" || sign === "B") return "";
    if (sign === "u") {
      const code = /^(?:\{([0-9a-f]+)\}|([0-9a-f]{4}))/iu.exec(source.slice(at));
      at += code?.[0].length ?? 0;
      return String.fromCodePoint(Number.parseInt(code?.[1] ?? code?.[2] ?? "20", 16));
    }
    if (/[wdSWDpP1-9]/u.test(sign)) throw new RangeError("cannot be written out");
    return sign;
  }

  try {
    return alternatives();
  } catch {
    return undefined;
  }
}
