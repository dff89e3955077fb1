import { loadTokenizer } from "../charter/src/delivery/tokenizer.ts";

export const [o200k, cl100k] = await Promise.all([loadTokenizer("o200k_base"), loadTokenizer("cl100k_base")]);
