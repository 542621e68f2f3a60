const book = {
  id: '1',
  title: 'Middlemarch',
  author: { name: 'George Eliot', born: 1819 },
  tags: Array.from({ length: 12 }, (_, at) => `tag-${at}`),
  text: 'x'.repeat(200),
};

/** A book, or books, of about so many KB of JSON. */
export function bookOf(size: number): unknown {
  return size === 1 ? book : Array.from({ length: Math.round((size * 1000) / JSON.stringify(book).length) }, () => book);
}
