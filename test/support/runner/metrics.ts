import type { Calls } from './api.ts'

/** The value of a metric, as GET /metrics shows it. */
export async function readMetric(api: Calls, name: string): Promise<string | undefined> {
  return new RegExp(`^${name} (.*)$`, 'm').exec((await api.get('/metrics')).body)?.[1]
}
