/** Hundreds of chains. */
import "./any-chain.test.ts";
