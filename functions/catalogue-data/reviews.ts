/** A review of a book. */
export interface Review {
  readonly id: string;
  /** The id of the book. */
  readonly book: string;
  /** From 1 to 5. */
  readonly stars: number;
  readonly text: string;
  readonly by: string;
}

export const reviews: readonly Review[] = [
  { id: 'r1', book: 'emma', stars: 4, text: 'A heroine who is wrong about everybody, herself first.', by: 'Harriet' },
  { id: 'r2', book: 'emma', stars: 5, text: 'The picnic on Box Hill is worth the whole walk.', by: 'George' },
  { id: 'r3', book: 'pride-and-prejudice', stars: 5, text: 'Read it for the first sentence, stay for the rest.', by: 'Charlotte' },
  { id: 'r4', book: 'frankenstein', stars: 5, text: 'The creature speaks better than its maker listens.', by: 'Robert' },
  { id: 'r5', book: 'moby-dick', stars: 3, text: 'More about whales than I had asked for.', by: 'Starbuck' },
  { id: 'r6', book: 'moby-dick', stars: 5, text: 'Exactly as much about whales as I had asked for.', by: 'Queequeg' },
  { id: 'r7', book: 'middlemarch', stars: 5, text: 'A town, and everybody in it understood.', by: 'Dorothea' },
  { id: 'r8', book: 'dracula', stars: 4, text: 'Keep a diary. It may be needed.', by: 'Mina' },
];
