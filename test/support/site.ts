import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface Site {
  readonly port: number;
  /** What stands at each path, for a test to fill. */
  readonly answers: Map<string, Answer>;
}

/** A web server on 127.0.0.1 for all tests of a file. What nothing stands at is answered with 404. */
export function useSite(): Site {
  const answers = new Map<string, Answer>();
  const server = createServer((request, response) => {
    const answer = answers.get(request.url ?? "");
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    answers,
    get port() {
      return port;
    },
  };
}

/** Answers with a body of this type. */
export function sends(type: string, body: string | Buffer): Answer {
  return (_request, response) => response.writeHead(200, { "content-type": type }).end(body);
}

const words = "Keys wear out, and a lock that nobody opens still wants its oil now and then, they say. ";

/** Answers with a page that has an article. */
export function article(title: string, body: string): Answer {
  const text = `<h1>${title}</h1><p>${words.repeat(5)}</p><p>${body}</p>`;
  return sends("text/html", `<title>${title}</title><article>${text}</article>`);
}
