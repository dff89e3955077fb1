/** Every pair of tables, on both homes. */
import "./missing.test.ts";
