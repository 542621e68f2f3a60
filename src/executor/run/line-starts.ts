import type { FieldNode, Source, SourceLocation } from 'graphql';

/**
 * Finds the locations of errors in a document. graphql-js counts the lines from the top for each error: 1,000 failing fields in a document
 * with 16,000 lines took 0.85 s.
 */
export class LineStarts {
  #source: Source | undefined = undefined;
  #starts: number[] = [];

  /** `locations` of an error at these fields. Undefined if the document was parsed without locations. */
  locationsOf(nodes: readonly FieldNode[]): SourceLocation[] | undefined {
    const locations = nodes.flatMap(({ loc }) => (loc === undefined ? [] : this.#locate(loc.source, loc.start)));
    return locations.length === 0 ? undefined : locations;
  }

  #locate(source: Source, position: number): SourceLocation {
    if (source !== this.#source) this.#read(source);
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= position) low = middle + 1;
      else high = middle;
    }
    return { line: low + 1, column: position + 1 - (this.#starts[low - 1] ?? 0) };
  }

  #read(source: Source): void {
    this.#source = source;
    this.#starts = [];
    for (const { 0: lineBreak, index } of source.body.matchAll(/\r\n|[\n\r]/g)) this.#starts.push(index + lineBreak.length);
  }
}
