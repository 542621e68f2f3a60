/** An error that the user can fix; the message says how. */
export class DevError extends Error {
  override readonly name = 'DevError';
}
