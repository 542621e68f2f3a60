/** A book in the catalogue. All books are in the public domain. */
export interface Book {
  readonly id: string;
  readonly title: string;
  /** The year of the first edition. */
  readonly year: number;
  /** The id of its author. */
  readonly author: string;
}

export const books: readonly Book[] = [
  { id: 'emma', title: 'Emma', year: 1815, author: 'austen' },
  { id: 'persuasion', title: 'Persuasion', year: 1817, author: 'austen' },
  { id: 'pride-and-prejudice', title: 'Pride and Prejudice', year: 1813, author: 'austen' },
  { id: 'frankenstein', title: 'Frankenstein', year: 1818, author: 'shelley' },
  { id: 'jane-eyre', title: 'Jane Eyre', year: 1847, author: 'charlotte-bronte' },
  { id: 'wuthering-heights', title: 'Wuthering Heights', year: 1847, author: 'emily-bronte' },
  { id: 'moby-dick', title: 'Moby-Dick', year: 1851, author: 'melville' },
  { id: 'great-expectations', title: 'Great Expectations', year: 1861, author: 'dickens' },
  { id: 'middlemarch', title: 'Middlemarch', year: 1871, author: 'eliot' },
  { id: 'treasure-island', title: 'Treasure Island', year: 1883, author: 'stevenson' },
  { id: 'the-time-machine', title: 'The Time Machine', year: 1895, author: 'wells' },
  { id: 'dracula', title: 'Dracula', year: 1897, author: 'stoker' },
];
