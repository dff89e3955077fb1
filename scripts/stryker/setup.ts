import fc from "fast-check";

/** The same values each time: a mutant is judged alike in every run. That there is a counterexample is enough. */
fc.configureGlobal({ seed: 1, endOnFailure: true });
