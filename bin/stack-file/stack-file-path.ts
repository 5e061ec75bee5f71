/** Where `npm start` says how to reach what it runs, unless it is given another file. */
export const stackFilePath = '.local/stack.json';
