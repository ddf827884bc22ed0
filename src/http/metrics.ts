import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type HttpMetrics = ReturnType<typeof createMetrics>

type Waiting = { automatic: number; automaticLate: number; manual: number; manualLate: number }

/** The default of 10 ms would wake an idle process a hundred times a second. */
const lagSampleMs = 100

/** The Prometheus metrics of the process. Labels are patterns and codes, never ids or personal data. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs })
  const requests = new Histogram({
    name: 'svc_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const verifications = new Histogram({
    name: 'svc_verification_seconds',
    help: 'Business time from a submission to the result of its checks',
    labelNames: ['outcome'],
    buckets: [1, 5, 30, 60, 300, 600, 3_600, 86_400, 259_200],
    registers: [registry],
  })
  const counter = (name: string, help: string, label: string) =>
    new Counter({ name, help, labelNames: [label], registers: [registry] })
  const failuresHelp = 'Batches of background jobs that failed and will be retried'
  const failures = counter('svc_job_failures_total', failuresHelp, 'job')
  const deliveries = counter('svc_webhook_attempts_total', 'Attempts to deliver an event to a webhook', 'outcome')
  const contradictedHelp = 'Deposits whose final block a chain has dropped or replaced'
  const contradicted = counter('svc_sightings_contradicted_total', contradictedHelp, 'method')
  const ruleRuns = counter('svc_rule_runs_total', 'Ended runs of automation rules', 'status')
  /** A gauge that is NaN while its value cannot be read: a failed read hides no other metric. */
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        try {
          this.set(await read())
        } catch {
          this.set(Number.NaN)
        }
      },
    })
  return {
    addWaitingGauge: (read: () => Promise<Waiting | undefined>) =>
      new Gauge({
        name: 'svc_verifications_waiting',
        help: 'Submissions that wait for a result, by kind and by whether the promised time has passed',
        labelNames: ['kind', 'promise'],
        registers: [registry],
        async collect() {
          const waiting = await read().catch(() => undefined)
          if (!waiting) return this.reset()
          this.set({ kind: 'automatic', promise: 'kept' }, waiting.automatic - waiting.automaticLate)
          this.set({ kind: 'automatic', promise: 'late' }, waiting.automaticLate)
          this.set({ kind: 'manual', promise: 'kept' }, waiting.manual - waiting.manualLate)
          this.set({ kind: 'manual', promise: 'late' }, waiting.manualLate)
        },
      }),
    observeRequest: (method: string, route: string, status: number, seconds: number) =>
      requests.observe({ method, route, status }, seconds),
    observeVerification: (outcome: string, seconds: number) => verifications.observe({ outcome }, seconds),
    countDelivery: (outcome: string) => deliveries.inc({ outcome }),
    countRuleRun: (status: string) => ruleRuns.inc({ status }),
    countContradictedSighting: (method: string) => contradicted.inc({ method }),
    countJobFailure: (job: string) => failures.inc({ job }),
    addBodyGauge: (read: () => number) =>
      gauge('svc_http_body_bytes_in_flight', 'Bytes of large request bodies currently in memory', read),
    addGauge: gauge,
    addCounter: counter,
    render: () => registry.metrics(),
    mediaType: registry.contentType,
  }
}
