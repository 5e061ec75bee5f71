import { keepCompiled } from './keep-compiled.ts';

// What is imported before this would be compiled each time.
keepCompiled();
await import('./admin/command-line.ts');
