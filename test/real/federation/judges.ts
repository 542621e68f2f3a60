import { createRequire } from 'node:module';

import { pathInPart } from '../../support/real/parts.ts';

/** Loads a package of Apollo's and other federation libraries, with its own graphql 16. */
export function judge(name: string): any {
  return createRequire(pathInPart('federation-judges', '.package-lock.json'))(name);
}
