/** Reading settings by name, so that every bad one is told at once and none is misspelt unnoticed. */
export type ConfigProblem = { setting: string; problem: string; example: string }

/** Lists every bad setting at once, so that a deployment is mended in one go. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[]
  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map((each) => `  ${each.setting}: ${each.problem}\n    for example ${each.example}`)
    super(`The settings are not usable:\n${lines.join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

// Written to dev.env for clients of the service; the service itself does not read them.
const clientSettings = ['SVC_BASE_URL', 'SVC_API_KEY']

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
  const oneOf = <Value extends string>(name: string, values: readonly Value[], otherwise: Value): Value => {
    const given = text(name)
    if (given === undefined) return otherwise
    if (!values.includes(given as Value)) complain(name, `must be one of ${values.join(', ')}`, values[0] ?? '')
    return given as Value
  }
  const integer = (name: string, otherwise: number, least: number, most: number): number => {
    const given = text(name)
    if (given === undefined) return otherwise
    const value = /^\d{1,15}$/.test(given) ? Number(given) : -1
    if (value >= least && value <= most) return value
    complain(name, `must be a whole number from ${least} to ${most}`, String(otherwise))
    return otherwise
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
    otherwise: string[],
    accepts: (item: string) => unknown,
    example: string,
    what = 'addresses',
  ): string[] => {
    const given = text(name)?.split(',')
    if (given === undefined) return otherwise
    const items = given.map((item) => item.trim()).filter(Boolean)
    if (items.length === 0 || !items.every(accepts)) complain(name, `must be ${what}, separated by commas`, example)
    return items
  }
  return { text, oneOf, integer, url, list, complain, problems, known }
}

/** The known setting that shares the most letter pairs with a misspelt one. */
export function nearest(name: string, known: ReadonlySet<string>): string {
  const pairs = (word: string) => new Set(Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2)))
  const wanted = pairs(name)
  const score = (candidate: string) =>
    [...pairs(candidate)].filter((pair) => wanted.has(pair)).length / candidate.length
  return [...known].reduce((best, candidate) => (score(candidate) > score(best) ? candidate : best))
}
