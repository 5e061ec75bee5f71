import type { Item } from './scan.ts';

/** Whether an item is one that a sandbox comes with. All of them have its opaque part. */
export const isCompanion = ({ type, id, workspace, account }: Item): boolean => {
  const own = String(type === 'MANAGER' ? account : id);
  const of = type === 'MANAGER' || type === 'WORKSPACE' ? own : String(workspace);
  return /^\w+_test_/.test(of) && own.split('_').at(-1) === of.split('_').at(-1);
};
