/** Packages that no program joins. */
export const apart: RegExp
/** Answers the joined program, which it builds if it may, or else src/main.ts. */
export function findProgram(options: { mayBuild: boolean }): Promise<string>
