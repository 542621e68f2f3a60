/** Headers of every page. */
export const headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // A page of another site that opens this one in a window must not keep a reference to it.
  'cross-origin-opener-policy': 'same-origin',
};

/** A nonce with 128 random bits. Every response gets a new one, because a reused nonce could be read on one page and used on another. */
export function createNonce(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
}

/** The start of every page. */
export const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">`;
