import type { Metric, Registry } from 'prom-client'

const name = 'svc_http_request_seconds'
const bounds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

type Series = { labels: Record<string, string | number>; counts: number[]; count: number; sum: number }

/**
 * Counts requests by method, route and status, and the time that they took. The histogram of the library looks for a
 * series by the text of its labels at each observation, which costs more than the rest of the line of a request.
 */
export function createRequestTimes(registry: Registry) {
  const found = new Map<string, Map<string, Map<number, Series>>>()
  const all: Series[] = []
  const add = (method: string, route: string, status: number): Series => {
    const series = { labels: { method, route, status }, counts: bounds.map(() => 0), count: 0, sum: 0 }
    all.push(series)
    const methods = found.get(route) ?? new Map<string, Map<number, Series>>()
    const statuses = methods.get(method) ?? new Map<number, Series>()
    found.set(route, methods.set(method, statuses.set(status, series)))
    return series
  }
  const get = async () => ({ name, help: 'Time to answer a request', type: 'histogram', values: all.flatMap(present) })
  registry.registerMetric({ name, get } as unknown as Metric)

  return (method: string, route: string, status: number, seconds: number): void => {
    const series = found.get(route)?.get(method)?.get(status) ?? add(method, route, status)
    series.count += 1
    series.sum += seconds
    for (let at = 0; at < bounds.length; at += 1) {
      if (seconds > (bounds[at] as number)) continue
      series.counts[at] = (series.counts[at] as number) + 1
      return
    }
  }
}

/** Lists the values of a series as Prometheus reads them: each bucket counts also what the smaller ones have. */
function present({ labels, counts, count, sum }: Series) {
  let below = 0
  const buckets = bounds.map((le, at) => {
    below += counts[at] ?? 0
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
  })
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
