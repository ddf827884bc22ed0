/** Returns the folder with the generators of API clients. Downloads them the first time. */
export function fetchClientGenerators(): Promise<string>
