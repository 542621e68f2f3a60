/** What every resolver gets as its third argument. */
export interface Context {
  readonly language: string;
}
