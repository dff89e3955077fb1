import "./replies.test.ts";
