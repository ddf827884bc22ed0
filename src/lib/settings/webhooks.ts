import type { settingsOf } from '../settings.ts'

export type WebhookSettings = {
  /** Allows webhooks to this machine, over plain http too. Never in production. */
  webhooksMayCallLoopback: boolean
  webhooks: {
    /** The ports that webhooks may name; undefined allows any. */
    ports: readonly number[] | undefined
    /** Whether an endpoint must answer a challenge before it receives events. */
    mustProve: boolean
    /** The most events a second that one webhook receives from replays. */
    replaysPerSecond: number
    /** The days of business time after which attempts are deleted. */
    attemptsKeptDays: number
    /** How many webhooks an organization can have. */
    mostWebhooks: number
    /** How many attempts Svc keeps for an organization. */
    mostAttempts: number
  }
}

/** Reads which endpoints Svc calls, whether they prove that they want it, and how fast replays are sent to them. */
export function readWebhookSettings(
  environment: 'sandbox' | 'production',
  { oneOf, list, integer, text }: Pick<ReturnType<typeof settingsOf>, 'oneOf' | 'list' | 'integer' | 'text'>,
): WebhookSettings {
  const isProduction = environment === 'production'
  const yesOrNo = ['true', 'false'] as const
  const portsName = 'SVC_WEBHOOK_PORTS'
  const isAny = text(portsName) === 'any' || (text(portsName) === undefined && !isProduction)
  const ports = isAny ? undefined : list(portsName, ['443', '8443'], isPort, '443,8443', '"any", or ports').map(Number)
  return {
    webhooksMayCallLoopback: oneOf('SVC_WEBHOOK_ALLOW_LOOPBACK', yesOrNo, 'true') === 'true' && !isProduction,
    webhooks: {
      ports,
      mustProve: oneOf('SVC_WEBHOOK_CHALLENGE', yesOrNo, isProduction ? 'true' : 'false') === 'true',
      replaysPerSecond: integer('SVC_WEBHOOK_REPLAY_RATE', 50, 1, 1_000),
      attemptsKeptDays: integer('SVC_WEBHOOK_ATTEMPTS_DAYS', 30, 4, 36_500),
      mostWebhooks: integer('SVC_WEBHOOKS_PER_ORGANIZATION', 100, 1, 10_000),
      mostAttempts: integer('SVC_WEBHOOK_ATTEMPTS_PER_ORGANIZATION', 1_000_000, 1, 1_000_000_000),
    },
  }
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535
}
