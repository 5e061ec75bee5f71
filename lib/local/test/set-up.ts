import { removeTemporaryDirectories } from './temporary-directory.ts';

removeTemporaryDirectories();
