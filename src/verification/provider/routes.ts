import { SignatureHeaders, signedMessageOf } from '../../http/bodies/signed-body.ts'
import { type Route, route } from '../../http/route.ts'
import type { ProviderService } from './service.ts'
import * as wire from './wire.ts'

export type ProviderRoutesOptions = {
  provider: ProviderService
  /** Answers a wrong signature with the common 401, and an address that keeps guessing with 429. */
  refuseBadSignature(address: string): Promise<unknown>
}

export function providerRoutes({ provider, refuseBadSignature }: ProviderRoutesOptions): Route[] {
  return [
    route({
      method: 'POST',
      path: '/verification/callbacks',
      access: 'signature',
      tag: 'Verification provider',
      summary: 'Announce that a verification has an answer',
      description:
        'Called by the verification provider of the deployment, which signs with the shared secret as Standard ' +
        'Webhooks defines. Svc then polls the provider for the answer, so calls may be repeated, late or out of order.',
      headers: SignatureHeaders,
      body: wire.VerificationCallback,
      answer: { status: 200, description: 'Received; also for an unknown reference', schema: wire.CallbackReceived },
      handle: async ({ received, readBody, address }) => {
        if (!provider.isFromProvider(signedMessageOf(received()))) await refuseBadSignature(address)
        await provider.wake(readBody().reference.toLowerCase())
        return { received: true }
      },
    }),
  ]
}
