import { takeTemporaryFolder } from "../temporary.ts";

/** Loads nothing of the product: what is set up here counts as loaded by every test, and each would run after any edit. */
export default function setup(): () => void {
  return takeTemporaryFolder();
}
