/** Thousands of rows, and killed on both homes. */
import "./checkpoint.test.ts";
