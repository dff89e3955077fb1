/** More tampering, on both homes. */
import "./verify.test.ts";
