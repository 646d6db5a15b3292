/** Matches of an answer that is sent in one piece, and of one that is streamed. */
export const MAX_MATCHES = 5000;
export const MAX_STREAMED = 1_000_000;
