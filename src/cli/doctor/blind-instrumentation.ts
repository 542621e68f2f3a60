import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Packages that patch graphql-js's functions. An operation that runs by a plan passes them by, and graphql 17 cannot be patched. */
const patching: Readonly<Record<string, string>> = {
  '@opentelemetry/instrumentation-graphql': 'use openTelemetry() of graphql-functions/opentelemetry in its place',
  'dd-trace':
    'its plugin for graphql sees nothing; use openTelemetry() of graphql-functions/opentelemetry, which dd-trace takes spans from',
};

/** What to say of installed packages that would trace nothing. */
export function findBlindInstrumentation(directory: string): string[] {
  return Object.entries(patching)
    .filter(([name]) => isInstalled(name, directory))
    .map(([name, advice]) => `${name} is installed and patches graphql-js, whose functions planned operations do not call: ${advice}.`);
}

function isInstalled(name: string, directory: string): boolean {
  if (existsSync(join(directory, 'node_modules', name, 'package.json'))) return true;
  const parent = dirname(directory);
  return parent !== directory && isInstalled(name, parent);
}
