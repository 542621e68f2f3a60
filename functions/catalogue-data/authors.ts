/** An author of books in the catalogue. */
export interface Author {
  readonly id: string;
  readonly name: string;
  readonly born: number;
  readonly died: number;
}

export const authors: readonly Author[] = [
  { id: 'austen', name: 'Jane Austen', born: 1775, died: 1817 },
  { id: 'shelley', name: 'Mary Shelley', born: 1797, died: 1851 },
  { id: 'charlotte-bronte', name: 'Charlotte Brontë', born: 1816, died: 1855 },
  { id: 'emily-bronte', name: 'Emily Brontë', born: 1818, died: 1848 },
  { id: 'melville', name: 'Herman Melville', born: 1819, died: 1891 },
  { id: 'dickens', name: 'Charles Dickens', born: 1812, died: 1870 },
  { id: 'eliot', name: 'George Eliot', born: 1819, died: 1880 },
  { id: 'stevenson', name: 'Robert Louis Stevenson', born: 1850, died: 1894 },
  { id: 'wells', name: 'H. G. Wells', born: 1866, died: 1946 },
  { id: 'stoker', name: 'Bram Stoker', born: 1847, died: 1912 },
];
