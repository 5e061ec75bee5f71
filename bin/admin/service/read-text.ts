import { readFileSync } from 'node:fs';
import { AdminError } from '../../command-line/admin-error.ts';

/** @throws AdminError when the file cannot be read, or is not text */
export const readText = (file: string): string => {
  try {
    // A decoder that replaced bytes would change the text silently.
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const sentences: Readonly<Record<string, string>> = {
      ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8. In Excel, save it as "CSV UTF-8".',
      ENOENT: 'does not exist.',
    };
    throw new AdminError(`${file} ${sentences[code] ?? `cannot be read: ${message}.`}`);
  }
};
