import fc from "fast-check";
import { beforeEach } from "vitest";

/** A smaller counterexample would tell nothing: that there is one is enough. */
fc.configureGlobal({ endOnFailure: true });

/** Tests on long texts take seconds, which thousands of mutants would pay again, and notice nothing that others do not. */
const long =
  /megabyte|^hostile text takes|^texts with nothing in common|^quoted words are one line|thirty thousand deep/;
beforeEach(({ task, skip }) => {
  if (long.test(task.name)) skip();
});
