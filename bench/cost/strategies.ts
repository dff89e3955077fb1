import { diff } from "../../charter/src/prompt/diff.ts";
import { joinSections, type Section, sectionWords } from "../workloads/section.ts";
import { layOut, type Strategy } from "./strategy.ts";
import { changedSections, type Turn } from "./trace.ts";

/** The seed's own order in one string, with whatever changes standing in the middle of it. */
export const seedOrder: Strategy = (trace) =>
  layOut(trace, ({ sections }) => ({ system: joinSections(sections), toolsMarked: true }));

/** pi's policy: one string, what changes every turn at its end, and the day instead of the time. */
export const pi: Strategy = (trace) =>
  layOut(trace, ({ sections }) => {
    const daily = stateOf(sections).map((section) => ({ ...section, text: section.byDay ?? section.text }));
    return { system: joinSections([...stableOf(sections), ...daily]), toolsMarked: false };
  });

/**
 * The first turn's stable words in the prefix, for good; behind the history, with every request, the state and every
 * stable section that has changed since.
 */
export const volatileAfterHistory: Strategy = (trace) => {
  const first = firstSections(trace.turns);
  return layOut(trace, ({ sections }) => {
    const changed = new Set(changedSections(first, sections));
    const volatile = sections.filter(({ name, stability }) => stability === "state" || changed.has(name));
    return { system: joinSections(stableOf(first)), tail: joinSections(volatile), toolsMarked: true };
  });
};

/**
 * The state behind the history, only of who is active, and what changes seldom said once. Nothing is ever put in the
 * right place again, and no update says that it is one: the words alone. Of a section of several parts they are the lines
 * that are new.
 */
export const ideal: Strategy = (trace) => {
  const system = joinSections(stableOf(firstSections(trace.turns)));
  let before = firstSections(trace.turns);
  return layOut(trace, ({ sections, changed }) => {
    const state = stateOf(sections).map((section) => ({ ...section, text: section.active ?? section.text }));
    const said = sections.filter(({ name }) => changed.includes(name)).map((section) => newWords(section, before));
    before = sections;
    return { system, said, tail: joinSections(state), toolsMarked: true };
  });
};

function newWords(section: Section, before: readonly Section[]): string {
  const old = before.find(({ name }) => name === section.name);
  if (section.parts === undefined || !old) return sectionWords(section);
  return diff(old.text, section.text)
    .flatMap(({ kind, lines }) => (kind === "added" ? lines : []))
    .join("\n");
}

function firstSections(turns: readonly Turn[]): readonly Section[] {
  return turns[0]?.sections ?? [];
}

function stableOf(sections: readonly Section[]): Section[] {
  return sections.filter(({ stability }) => stability === "stable");
}

function stateOf(sections: readonly Section[]): Section[] {
  return sections.filter(({ stability }) => stability === "state");
}
