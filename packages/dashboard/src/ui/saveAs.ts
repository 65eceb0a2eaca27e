/** Lets the browser save bytes under a name; it opens them nowhere, and learns nothing of what they are said to be. */
export function saveAs(name: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type: 'application/octet-stream' }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
