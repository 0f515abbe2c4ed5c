// Where the parts of recordings come from. Only HttpSource and EmbeddedSource know; a live source would be a
// third.

export interface DataSource {
  /** The bytes of a part, for example "0/run.json". Rejects if there is none. */
  read(part: string): Promise<ArrayBuffer>;
  /** The page with all parts in one file, or null if this source cannot make one. */
  save: (() => Promise<Blob>) | null;
}

export async function readText(source: DataSource, part: string): Promise<string> {
  return new TextDecoder().decode(await source.read(part));
}
