/** Makes calls of one method: a record of label and parameters. */
export const calls = (method, byLabel) => Object.entries(byLabel).map(([label, params]) => ({ method, label, params }));
