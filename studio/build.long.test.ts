/** Built once more, in a folder of its own. */
import "./build.test.ts";
