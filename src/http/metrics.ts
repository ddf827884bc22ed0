import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type HttpMetrics = ReturnType<typeof makeMetrics>

/** What the process tells Prometheus. Labels are patterns and codes, never ids or personal data. */
export function makeMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'svc_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const failures = new Counter({
    name: 'svc_job_failures_total',
    help: 'Background batches that ended in an error and will be tried again',
    labelNames: ['job'],
    registers: [registry],
  })
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read())
      },
    })
  return {
    observeRequest: (method: string, route: string, status: number, seconds: number) =>
      requests.observe({ method, route, status }, seconds),
    countJobFailure: (job: string) => failures.inc({ job }),
    watchBodies: (read: () => number) => gauge('svc_http_body_bytes_in_flight', 'Bytes of large bodies held now', read),
    watch: gauge,
    render: () => registry.metrics(),
    mediaType: registry.contentType,
  }
}
