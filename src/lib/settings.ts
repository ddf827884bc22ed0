/** An invalid setting, with an example of a valid one. */
export type ConfigProblem = { setting: string; problem: string; example: string }

/** Lists every invalid setting at once, so that an operator can fix the deployment in one step. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[]
  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map((each) => `  ${each.setting}: ${each.problem}\n    for example ${each.example}`)
    super(`These settings are not valid:\n${lines.join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** A command that cannot run as it was written. The message names the option and what to change. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

// Written to dev.env for clients of the service; the service itself does not read them.
const clientSettings = ['SVC_BASE_URL', 'SVC_API_KEY']

/** Creates readers of settings. They collect the known names and all problems, so that misspelt names are found too. */
export function settingsOf(env: Record<string, string | undefined>) {
  const problems: ConfigProblem[] = []
  const known = new Set<string>(clientSettings)
  const complain = (setting: string, problem: string, example: string) => {
    problems.push({ setting, problem, example: `${setting}=${example}` })
  }
  const text = (name: string): string | undefined => {
    known.add(name)
    return env[name]?.trim() || undefined
  }
  const oneOf = <Value extends string>(name: string, values: readonly Value[], fallback: Value): Value => {
    const given = text(name)
    if (given === undefined) return fallback
    if (!values.includes(given as Value)) complain(name, `must be one of ${values.join(', ')}`, values[0] ?? '')
    return given as Value
  }
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const given = text(name)
    if (given === undefined) return fallback
    const value = /^\d{1,15}$/.test(given) ? Number(given) : -1
    if (value >= min && value <= max) return value
    complain(name, `must be a whole number from ${min} to ${max}`, String(fallback))
    return fallback
  }
  const url = (name: string, protocols: readonly string[], example: string): string | undefined => {
    const given = text(name)
    if (given === undefined) return undefined
    if (URL.canParse(given) && protocols.includes(new URL(given).protocol)) return given
    complain(name, `must be an address that starts with ${protocols.join(' or ')}//`, example)
    return undefined
  }
  const list = (
    name: string,
    fallback: string[],
    accepts: (item: string) => unknown,
    example: string,
    what = 'addresses',
  ): string[] => {
    const given = text(name)?.split(',')
    if (given === undefined) return fallback
    const items = given.map((item) => item.trim()).filter(Boolean)
    if (items.length === 0 || !items.every(accepts)) complain(name, `must be ${what}, separated by commas`, example)
    return items
  }
  return { text, oneOf, integer, url, list, complain, problems, known }
}

/** Finds the known setting that shares the most letter pairs with a misspelt one. */
export function nearest(name: string, known: ReadonlySet<string>): string {
  const pairs = (word: string) => new Set(Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2)))
  const wanted = pairs(name)
  const score = (candidate: string) =>
    [...pairs(candidate)].filter((pair) => wanted.has(pair)).length / candidate.length
  return [...known].reduce((best, candidate) => (score(candidate) > score(best) ? candidate : best))
}
