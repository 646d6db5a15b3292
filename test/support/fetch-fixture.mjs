/** Fetches a URL whose host leads to 127.0.0.1, in a process that trusts the certificates of its environment. */
import { fetchUrl } from "../../dist/workers/fetch/fetch-url.js";

const [url = ""] = process.argv.slice(2);
const rules = {
  allowPrivate: true,
  ports: [Number(new URL(url).port)],
  maxBytes: 1000,
  timeoutMs: 10_000,
  userAgent: "test",
  hosts: [],
  proxy: null,
};
const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
const text = await fetchUrl({ url, rules, validators: null }, resolve).then(
  ({ bytes }) => bytes.toString(),
  (error) => error.message,
);
process.stdout.write(text);
