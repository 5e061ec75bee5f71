import { expect, test } from 'vitest';
import { compileRoutes } from '../api-gateway/routes.ts';

const paths = ['/', '/offers', '/offers/{id}', '/offers/new', '/offers/{id}/resend'];
const match = compileRoutes(new Map(paths.map((path) => [path, path])));

test.each([
  ['/', '/', {}],
  ['/offers', '/offers', {}],
  ['/offers/', '/offers', {}],
  ['/offers/new', '/offers/new', {}],
  ['/offers/1', '/offers/{id}', { id: '1' }],
  ['/offers/new/resend', '/offers/{id}/resend', { id: 'new' }],
  ['/offers/a%2Fb%20c', '/offers/{id}', { id: 'a/b c' }],
  ['/offers/%E0%A4%A', '/offers/{id}', { id: '%E0%A4%A' }],
])('the gateway routes %s to %s', (path, target, pathParameters) => {
  expect(match(path)).toEqual({ target, pathParameters });
});

test.each(['/other', '/offers/1/other', '/offers//resend', '//offers', '/offers//'])(
  'the gateway routes %s nowhere',
  (path) => {
    expect(match(path)).toBeUndefined();
  },
);
