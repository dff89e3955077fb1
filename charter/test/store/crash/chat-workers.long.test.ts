/** Both homes, and a third life for each. */
import "./chat-workers.test.ts";
