export interface BookRow {
  readonly id: string;
  /** By language. */
  readonly titles: { readonly en: string; readonly [language: string]: string };
  readonly genre: 'NOVEL' | 'HORROR';
  readonly published: Date;
}

// Replace this list with your database or API.
export const books: readonly BookRow[] = [
  { id: 'emma', titles: { en: 'Emma' }, genre: 'NOVEL', published: new Date('1815-12-23') },
  {
    id: 'frankenstein',
    titles: { en: 'Frankenstein', de: 'Frankenstein oder Der moderne Prometheus' },
    genre: 'HORROR',
    published: new Date('1818-01-01'),
  },
];
