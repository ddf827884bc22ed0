import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { mergeMetrics } from './merge-metrics.ts'
import { createRequestTimes } from './request-times.ts'

export type HttpMetrics = ReturnType<typeof createMetrics>

/** The other API processes of this machine, which share the port with this one. */
export type Siblings = {
  /** The place of this process among them, from 1. A process that is restarted keeps it. */
  number: number
  /** The options of a server whose port the processes share. */
  listenOptions: { reusePort?: boolean; exclusive?: boolean }
  /** Lets the others read the metrics of this process. */
  answerWith(render: () => Promise<string>): void
  /** Reads the metrics of the others. One that does not answer in time is missing. */
  readMetrics(): Promise<string[]>
}

type Waiting = { automatic: number; automaticLate: number; manual: number; manualLate: number }

/** The default of 10 ms would wake an idle process a hundred times a second. */
const lagSampleMs = 100

/**
 * The Prometheus metrics of the process. Labels are patterns and codes, never ids or personal data. A process that shares
 * its port labels its series with its number, and answers with those of all: a scrape reaches any one of them. Gauges of
 * the whole deployment come from that one alone, without its number, so that a sum counts them once.
 */
export function createMetrics(siblings?: Siblings) {
  const registry = new Registry()
  const ofDeployment = siblings ? new Registry() : registry
  const render = joinMetrics(registry, ofDeployment, siblings)
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs })
  const observeRequest = createRequestTimes(registry)
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
  const setFailuresHelp = 'Sets of payments that were rolled back and settled one by one'
  const setFailures = counter('svc_set_failures_total', setFailuresHelp, 'job')
  const deliveries = counter('svc_webhook_attempts_total', 'Attempts to deliver an event to a webhook', 'outcome')
  const contradictedHelp = 'Deposits whose final block a chain has dropped or replaced'
  const contradicted = counter('svc_sightings_contradicted_total', contradictedHelp, 'method')
  const ruleRuns = counter('svc_rule_runs_total', 'Ended runs of automation rules', 'status')
  return {
    addWaitingGauge: (read: () => Promise<Waiting | undefined>) =>
      new Gauge({
        name: 'svc_verifications_waiting',
        help: 'Submissions that wait for a result, by kind and by whether the promised time has passed',
        labelNames: ['kind', 'promise'],
        registers: [ofDeployment],
        async collect() {
          const waiting = await read().catch(() => undefined)
          if (!waiting) return this.reset()
          this.set({ kind: 'automatic', promise: 'kept' }, waiting.automatic - waiting.automaticLate)
          this.set({ kind: 'automatic', promise: 'late' }, waiting.automaticLate)
          this.set({ kind: 'manual', promise: 'kept' }, waiting.manual - waiting.manualLate)
          this.set({ kind: 'manual', promise: 'late' }, waiting.manualLate)
        },
      }),
    observeRequest,
    observeVerification: (outcome: string, seconds: number) => verifications.observe({ outcome }, seconds),
    countDelivery: (outcome: string) => deliveries.inc({ outcome }),
    countRuleRun: (status: string) => ruleRuns.inc({ status }),
    countContradictedSighting: (method: string) => contradicted.inc({ method }),
    countJobFailure: (job: string) => failures.inc({ job }),
    countSetFailure: (job: string) => setFailures.inc({ job }),
    /** Adds a gauge of the whole deployment, which every process reads alike. */
    addGauge: addGaugeTo(ofDeployment),
    addProcessGauge: addGaugeTo(registry),
    addCounter: counter,
    render,
    mediaType: registry.contentType,
  }
}

/** Creates gauges that are NaN while their value cannot be read: a failed read hides no other metric. */
function addGaugeTo(registry: Registry) {
  return (name: string, help: string, read: () => number | Promise<number>) =>
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
}

/** Labels the series of a process that shares its port, and returns what renders those of all. */
function joinMetrics(
  registry: Registry,
  ofDeployment: Registry,
  siblings: Siblings | undefined,
): () => Promise<string> {
  if (!siblings) return () => registry.metrics()
  registry.setDefaultLabels({ process: String(siblings.number) })
  siblings.answerWith(() => registry.metrics())
  return async () =>
    mergeMetrics((await Promise.all([registry.metrics(), siblings.readMetrics(), ofDeployment.metrics()])).flat())
}
