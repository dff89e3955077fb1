import { parseDocument } from "yaml";
import { expansions } from "./expand.ts";
import { halfOf, type Kind, type Row, row } from "./rows.ts";

type Files = ReadonlyMap<string, string>;
type Rule = {
  readonly test_cases?: { readonly true_positives?: readonly unknown[]; readonly true_negatives?: readonly unknown[] };
  readonly evasion_tests?: readonly unknown[];
};

/** Rules whose name says that the attack speaks to the instructions themselves; chosen by name, before any was read. */
const direct =
  /override|ignore-|nullification|direct-prompt-injection|direct-pi-|paraphrase|goal-hijacking|supplant|hidden-priority|new-important-instructions|new-instructions|perez-prompt/u;
const indirect = /indirect|latent|document|carrier|skill|tool|description|sysprompt|format-override/u;
const spoken = /cjk-injection|language-switch/u;
const switched = /language|multilingual|translat/iu;

/** The test cases of Agent Threat Rules: what a rule must find, what it must not, and ways round it. */
export function threatRules(files: Files): Row[] {
  return [...files].flatMap(([path, text]): Row[] => {
    const [, folder = "", name = ""] = /^rules\/([^/]+)\/(.*)\.yaml$/u.exec(path) ?? [];
    if (name === "") return [];
    // Some files are not quite YAML; what can be read of them is.
    const rule = parseDocument(text, { logLevel: "silent" }).toJS() as Rule;
    const found = textsOf(rule.test_cases?.true_positives);
    const harmless = textsOf(rule.test_cases?.true_negatives);
    const round = (rule.evasion_tests ?? []).flatMap((test) => textsOf([test]).map((text) => ({ text, test })));
    const isDirect = folder === "prompt-injection" && direct.test(name) && !indirect.test(name);
    const kind: Kind = spoken.test(name) ? "translated" : isDirect ? "direct" : "other attack";
    const set = kind === "other attack" ? `threat rules, ${folder}` : "threat rules";
    return [
      ...(kind !== "other attack" || folder === "prompt-injection" ? found : []).map((text) => row(kind, set, text)),
      ...round
        .filter(() => kind !== "other attack")
        .map(({ text, test }) => {
          const technique = String((test as { bypass_technique?: unknown }).bypass_technique ?? "");
          return switched.test(technique)
            ? row("translated", "threat rules, ways round", text)
            : row(kind, "threat rules, ways round", text);
        }),
      ...harmless.map((text) => row("ordinary request", "threat rules, harmless", text)),
    ];
  });
}

function textsOf(cases: readonly unknown[] | undefined): string[] {
  return (cases ?? []).flatMap((test) => {
    if (typeof test === "string") return [test];
    const { input } = (test ?? {}) as { input?: unknown };
    return typeof input === "string" ? [input] : [];
  });
}

const literal = "/((?:[^/\\\\\\n\\[]|\\\\.|\\[(?:[^\\]\\\\\\n]|\\\\.)*\\])+)/[gimsuy]*";

/** Pieces of these were seen while it was found out how the packages are laid out, so all of them count as looked at. */
const glimpsed = /ml_es_forget|ml_ko_ignore|instructions_void|\\b(?:\(\?:)?(?:ignore|disregard)/u;

/**
 * What another screen looks for, written out: its patterns of overriding by the names it gives them, and those of other
 * languages. The texts of one pattern are in one half.
 */
export function patternsOf(files: Files, path: string, set: string): Row[] {
  const found = (files.get(path) ?? "").matchAll(
    new RegExp(
      `(?:pattern|regex):\\s*${literal},[^{}]{0,40}?(?:name|type):\\s*"([A-Za-z_]+)"|name:\\s*"([a-z_]+)",\\s*pattern:\\s*${literal}`,
      "gu",
    ),
  );
  return Array.from(found).flatMap(([, before, type, name = type ?? "", after]) => {
    const source = before ?? after ?? "";
    if (!/ignore|forget|disregard|instructions?_void|instruction_?override/iu.test(name)) return [];
    const kind: Kind = name.startsWith("ml_") ? "translated" : "direct";
    const half = glimpsed.test(name) || glimpsed.test(source) ? "looked at" : halfOf(source);
    return expansions(source, 6).map((text): Row => ({ kind, set, text, half }));
  });
}

/** The probes of AgentSeal, read from its code without running it. */
export function probes(files: Files): Row[] {
  const code = files.get("dist/index.js") ?? "";
  const found = code.matchAll(
    /category: "([a-z0-9_]+)"[^\n]{0,200}?payload: (?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/gu,
  );
  return Array.from(found, ([, category = "", plain, template]) => {
    const text = (plain ?? template ?? "")
      .replace(/\\u([0-9a-f]{4})/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/\\n/gu, "\n")
      .replace(/\\(["'`\\])/gu, "$1")
      .replace(/\$\{[^}]*\}/gu, "X7");
    const isDirect = /^(?:instruction_override|competing_instructions|typo_evasion|privilege_escalation)$/u.test(
      category,
    );
    const kind: Kind = isDirect ? "direct" : category.includes("language") ? "translated" : "other attack";
    return row(kind, "AgentSeal", text);
  });
}

/** The stretches of Markdown files between headings. */
export function sections(files: Files, set: string, path: RegExp): Row[] {
  return [...files].flatMap(([name, text]) =>
    path.test(name)
      ? text
          .split(/^(?=#{1,6} )/mu)
          .flatMap((part) => (part.trim().length > 40 ? [row("ordinary prompt", set, part.trim())] : []))
      : [],
  );
}

/** Texts of some length in JSON files, such as the prompts of ready-made agents. */
export function strings(files: Files, set: string, path: RegExp): Row[] {
  const walk = (value: unknown): string[] => {
    if (typeof value === "string") return value.split(" ").length > 5 ? [value] : [];
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(walk) : [];
  };
  return [...files].flatMap(([name, text]) =>
    path.test(name) ? walk(JSON.parse(text)).map((found) => row("ordinary prompt", set, found)) : [],
  );
}
