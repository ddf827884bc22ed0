/** A part of the form that could not be loaded: the connection was lost, or a new version of the pages replaced it. */
export class CannotLoad extends Error {}

/** Loads a part of the form that most customers never need. */
export async function load<Part>(loading: () => Promise<Part>): Promise<Part> {
  try {
    return await loading()
  } catch (error) {
    throw new CannotLoad('a part of the form did not load', { cause: error })
  }
}

const failures = new Map<string, number>()

/** Loads a script of its own. Some browsers keep a failure, so another attempt has another address. */
export async function loadScript(url: string): Promise<unknown> {
  const count = failures.get(url) ?? 0
  try {
    return await import(/* @vite-ignore */ count === 0 ? url : `${url}?attempt=${count}`)
  } catch (error) {
    failures.set(url, count + 1)
    throw new CannotLoad('a script of the form did not load', { cause: error })
  }
}
