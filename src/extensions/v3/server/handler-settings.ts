import type { GraphQLSchema } from 'graphql';

import type { LandingPage, Logger } from '../types.ts';

/** What a handler needs of its server. */
export interface HandlerSettings {
  readonly nodeEnv: string | undefined;
  readonly logger: Logger;
  readonly schema: () => GraphQLSchema;
  /** Whether the schema is there only after the start. */
  readonly isLate: boolean;
  readonly start: () => Promise<void>;
  /** Header fields that CSRF prevention asks for; undefined: it is off. */
  readonly csrfRequestHeaders: readonly string[] | undefined;
  readonly landingPage: () => LandingPage | undefined;
}
