/** What keeps the dev server from starting and the user can put right: the message says how. */
export class DevError extends Error {
  override readonly name = 'DevError';
}
