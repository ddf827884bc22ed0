import type { settingsOf } from '../settings.ts'
import { readSigningSecret } from '../standard-webhooks.ts'

/** An outside provider, and the secrets with which both sides sign, the current one first. */
export type VerificationProvider = { url: string; secrets: Buffer[] }

/** Reads the outside provider that verifies customers: its address and the secrets, or neither. */
export function readProvider(
  environment: 'sandbox' | 'production',
  { url, list, complain }: Pick<ReturnType<typeof settingsOf>, 'url' | 'list' | 'complain'>,
): VerificationProvider | undefined {
  const [urlName, secretName] = ['SVC_VERIFICATION_PROVIDER_URL', 'SVC_VERIFICATION_PROVIDER_SECRET']
  const example = 'https://identity.example.com'
  const address = url(urlName, ['https:', 'http:'], example)?.replace(/\/+$/, '')
  const texts = list(secretName, [], readSigningSecret, 'whsec_$(openssl rand -base64 32)', '24 to 64 bytes in base64')
  const isLocal = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/i.test(address ?? '')
  if (address?.startsWith('http:') && !(isLocal && environment === 'sandbox')) {
    complain(urlName, 'must start with https://; plain http is only for this machine in the sandbox', example)
  }
  if ((address === undefined) === (texts.length === 0)) {
    const secrets = texts.map((text) => readSigningSecret(text) ?? Buffer.alloc(0))
    return address === undefined ? undefined : { url: address, secrets }
  }
  const [missing, given] = address ? [secretName, urlName] : [urlName, secretName]
  complain(missing, `must be set together with ${given}`, address ? 'whsec_…' : example)
  return undefined
}
