/** Every way to fail, before a prompt was sent and after. */
import "./faults.test.ts";
