/** Builds the pages of web/ unless they are built already. */
export function ensureBuilt(): Promise<void>
export const pointerFile: string
