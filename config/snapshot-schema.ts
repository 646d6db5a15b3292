import { z } from "zod";
import { endpointAddress } from "./endpoint-settings.ts";
import { KIB, MIB, MINUTE, SECOND, bytes, milliseconds, section } from "./setting-kinds.ts";

const visible = /^[\x20-\x7e]+$/;
/** What belongs to the connection and is no one's to set. */
const ownHeaders =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|expect)\s*:/i;

const headerLine = z
  .string()
  .max(8 * KIB)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+:[\t\x20-\x7e]*$/)
  .refine((line) => !ownHeaders.test(line), { message: "must be none that belongs to the connection" });

/** One `[[snapshot.hosts]]` table. */
const snapshotHost = z.strictObject({
  host: z
    .string()
    .max(253)
    .regex(/^[a-z0-9.:-]+$/)
    .meta({ description: "the host that all of this is sent to, and no other: lower case, without a port" }),
  userAgent: z
    .string()
    .max(300)
    .regex(visible)
    .optional()
    .meta({ description: "instead of snapshot.userAgent" }),
  cookie: z
    .string()
    .max(8 * KIB)
    .regex(visible)
    .optional()
    .meta({ description: "as in a Cookie header: a=1; b=2" }),
  headers: z
    .array(headerLine)
    .max(32)
    .default([])
    .meta({ description: 'more headers, each as "Name: value"' }),
  headersFile: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "file with more of them, one a line, read at each request: for what is secret" }),
  plainHttp: z
    .boolean()
    .default(false)
    .meta({ description: "cookie and headers are sent over http too; https only otherwise" }),
});

export const snapshotSection = section({
  allowPrivate: z
    .boolean()
    .default(false)
    .meta({ description: "pages of this machine and of private networks may be captured" }),
  ports: z
    .array(z.int().min(1).max(65_535))
    .max(64)
    .default([])
    .meta({ description: "ports that are fetched from beside 80 and 443" }),
  maxBytes: bytes(20 * MIB, KIB, 256 * MIB, "a larger page or file is not captured; counted unpacked"),
  timeoutMs: milliseconds(
    30 * SECOND,
    SECOND,
    5 * MINUTE,
    "time that a capture may take, with its redirects",
  ),
  userAgent: z
    .string()
    .min(1)
    .max(300)
    .regex(visible)
    .default("knowd (local snapshots)")
    .meta({ description: "what the daemon calls itself where it fetches" }),
  proxyUrl: endpointAddress("proxy to fetch through; none is taken from the environment").optional(),
  proxyUser: z.string().min(1).max(200).optional().meta({ description: "user name at the proxy" }),
  proxyPasswordEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .optional()
    .meta({ description: "environment variable that holds the password" }),
  proxyPasswordFile: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "file that holds the password and nothing else" }),
  hosts: z
    .array(snapshotHost)
    .max(100)
    .default([])
    .meta({ description: "what is sent to one host alone, each a [[snapshot.hosts]] table" }),
});
