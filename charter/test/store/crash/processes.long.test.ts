/** More processes, which write more. */
import "./processes.test.ts";
