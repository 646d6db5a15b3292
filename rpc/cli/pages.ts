interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string | undefined;
}

/** What goes into the params of a list: as many as a page may hold, from where the page before ended. */
export interface PageParams {
  readonly limit: number;
  readonly cursor?: string;
}

const PAGE_ITEMS = 100;

/** Everything that a list method answers, page after page; whoever stops reading asks for no more. */
export async function* eachOf<T>(ask: (page: PageParams) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await ask({ limit: PAGE_ITEMS, ...(cursor !== undefined && { cursor }) });
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

export async function allOf<T>(ask: (page: PageParams) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of eachOf(ask)) all.push(one);
  return all;
}
