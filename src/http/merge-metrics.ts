const family = /^# HELP (\S+)/

/** Joins Prometheus texts of several processes: each metric once, with the series of all. Their labels must differ. */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, { head: string[]; series: string[] }>()
  for (const text of texts) {
    let current = { head: [] as string[], series: [] as string[] }
    let isNew = true
    for (const line of text.split('\n')) {
      const name = family.exec(line)?.[1]
      if (name !== undefined) {
        const known = families.get(name)
        isNew = known === undefined
        current = known ?? { head: [], series: [] }
        families.set(name, current)
      }
      if (line === '') continue
      if (!line.startsWith('#')) current.series.push(line)
      else if (isNew) current.head.push(line)
    }
  }
  return `${[...families.values()].map(({ head, series }) => [...head, ...series].join('\n')).join('\n\n')}\n`
}
