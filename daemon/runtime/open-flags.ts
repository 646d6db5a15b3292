import { constants } from "node:fs";

/** For reading a file of the user's: what stands at the path by now may be a link, or a pipe that nobody writes to. */
export const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
