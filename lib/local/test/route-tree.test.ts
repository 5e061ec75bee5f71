import { expect, test } from 'vitest';
import { RouteTree } from '../api-gateway/route-tree.ts';

const routes = new RouteTree<string>();
for (const path of [
  '/',
  '/offers',
  '/offers/{id}',
  '/offers/new',
  '/offers/{id}/resend',
  '/files/{path+}',
]) {
  routes.add(path, path);
}

test.each([
  ['/', '/', {}],
  ['/offers', '/offers', {}],
  ['/offers/', '/offers', {}],
  ['/offers/new', '/offers/new', {}],
  ['/offers/1', '/offers/{id}', { id: '1' }],
  ['/offers/new/resend', '/offers/{id}/resend', { id: 'new' }],
  ['/offers/a%2Fb%20c', '/offers/{id}', { id: 'a/b c' }],
  ['/offers/%E0%A4%A', '/offers/{id}', { id: '%E0%A4%A' }],
  ['/files/a/b%20c', '/files/{path+}', { path: 'a/b c' }],
])('routes %s to %s', (path, target, pathParameters) => {
  expect(routes.match(path)).toEqual({ target, pathParameters });
});

test.each(['/other', '/offers/1/other', '/offers//resend', '/files', '//offers'])(
  'routes %s nowhere',
  (path) => {
    expect(routes.match(path)).toBeUndefined();
  },
);
