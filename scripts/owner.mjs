// Fills in what only the owner of the repository knows, and refuses to publish while it is missing. RELEASING.md has the commands.
//
//     node scripts/owner.mjs https://github.com/<owner>/<name>    writes package.json and the places for reports
//     node scripts/owner.mjs                                      fails, unless the address is there: `npm publish` runs it
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const chooser = '.github/ISSUE_TEMPLATE/config.yml';
const [address] = process.argv.slice(2);

if (address === undefined) checkAddress();
else writeAddress(address.replace(/(?:\.git)?\/?$/, ''));

function checkAddress() {
  const { repository } = JSON.parse(read('package.json'));
  if (isAddress(repository?.url?.replace(/^git\+|\.git$/g, ''))) return;
  fail(
    `Expected package.json to name the repository, got ${JSON.stringify(repository)}. Run: node scripts/owner.mjs https://github.com/<owner>/<name>`,
  );
}

function writeAddress(repository) {
  if (!isAddress(repository)) fail(`Expected an address such as https://github.com/<owner>/<name>, got ${JSON.stringify(repository)}.`);
  const reports = `${repository}/security/advisories/new`;
  const { repository: _, bugs: __, homepage, ...manifest } = JSON.parse(read('package.json'));
  const { name, version, description, ...rest } = manifest;
  const addresses = {
    repository: { type: 'git', url: `git+${repository}.git` },
    bugs: { url: `${repository}/issues` },
    homepage: homepage ?? `${repository}#readme`,
  };
  write('package.json', `${JSON.stringify({ name, version, description, ...addresses, ...rest }, null, 2)}\n`);
  write('SECURITY.md', read('SECURITY.md').replace(/^Address for reports: .*$/m, `Address for reports: <${reports}>`));
  write(chooser, read(chooser).replaceAll(/^( +url: ).*\/(discussions|security\/advisories\/new)$/gm, `$1${repository}/$2`));
  console.log(`Wrote ${repository} into package.json, SECURITY.md and ${chooser}.`);
}

function isAddress(text) {
  return text !== undefined && /^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(text) && !/\/owner\//.test(text);
}

function read(path) {
  return readFileSync(fileURLToPath(new URL(path, root)), 'utf8');
}

function write(path, text) {
  writeFileSync(fileURLToPath(new URL(path, root)), text);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
