import { resolve } from 'node:path';

/**
 * Reads an argument that is a path: relative to where the caller stands, which npm names, because
 * it runs commands in the project's folder.
 */
export const callerPath = (text: string): string => resolve(process.env.INIT_CWD ?? '', text);
