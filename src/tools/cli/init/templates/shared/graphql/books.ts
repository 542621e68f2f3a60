export interface BookRow {
  readonly id: string;
  readonly title: string;
  readonly year: number;
}

// Replace this list with your database or API.
export const books: readonly BookRow[] = [
  { id: 'emma', title: 'Emma', year: 1815 },
  { id: 'frankenstein', title: 'Frankenstein', year: 1818 },
];
