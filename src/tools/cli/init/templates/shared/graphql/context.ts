/** The third argument of every resolver. */
export interface Context {
  readonly language: string;
}
