import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import document from '../../../openapi.json' with { type: 'json' };
import project from '../../../package.json' with { type: 'json' };
import lock from '../../../package-lock.json' with { type: 'json' };
import client from '../package.json' with { type: 'json' };

const { version } = project;
const read = (path: string) => readFileSync(path, 'utf8');

test('everything that has a version has that of package.json', () => {
  const [, changelog] =
    /^## \[(\S+)\] - (?:\d{4}-\d{2}-\d{2}|Unreleased)$/m.exec(read('CHANGELOG.md')) ?? [];
  const [, readme] = /^\*\*Version (\S+)\.\*\*/m.exec(read('README.md')) ?? [];
  const [, packed] = /payments-client-(\S+)\.tgz/.exec(read('lib/client/README.md')) ?? [];
  const [, userAgent] =
    /workforce-payments-client\/(\S+)'/.exec(read('lib/client/request.ts')) ?? [];
  const versions = {
    document: document.info.version,
    client: client.version,
    lock: lock.version,
    lockOfProject: lock.packages[''].version,
    lockOfClient: lock.packages['lib/client'].version,
    changelog,
    readme,
    packed,
    userAgent,
  };
  expect(Object.entries(versions).filter(([, each]) => each !== version)).toEqual([]);
});
