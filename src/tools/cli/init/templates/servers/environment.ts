import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

// The variables of .env, for development and for `npm start`. Those of the shell take precedence.
const variables = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
if (variables.NODE_ENV !== undefined) throw new Error('Remove NODE_ENV from .env: npm run dev sets it, and npm start runs without it.');
for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
