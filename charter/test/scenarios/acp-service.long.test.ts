/** On PostgreSQL as well. */
import "./acp-service.test.ts";
