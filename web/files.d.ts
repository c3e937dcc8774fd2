/** Files that are no scripts: taken up as text, or as the address of an asset. */
declare module '*.jsonl' {
  const text: string;
  export default text;
}
declare module '*/licenses.txt' {
  const address: string;
  export default address;
}
