import { SignatureHeaders, signedMessageOf } from '../../http/bodies/signed-body.ts'
import { type Route, route } from '../../http/route.ts'
import type { ProviderService } from './service.ts'
import * as wire from './wire.ts'

export type ProviderRoutesOptions = {
  provider: ProviderService
  /** Answers the common 401, or 429 to an address that guesses. */
  refuseStranger(address: string): Promise<unknown>
}

export function providerRoutes({ provider, refuseStranger }: ProviderRoutesOptions): Route[] {
  return [
    route({
      method: 'POST',
      path: '/verification/callbacks',
      access: 'signature',
      tag: 'Verification provider',
      summary: 'Tell that a verification has an answer',
      description:
        'For the verification provider of the deployment, which signs with the shared secret by the rules of Standard ' +
        'Webhooks. The answer itself is then asked for, so a call that comes twice, late or out of order does no harm.',
      headers: SignatureHeaders,
      body: wire.VerificationCallback,
      answer: { status: 200, description: 'Heard, whatever the reference', schema: wire.CallbackReceived },
      handle: async ({ received, readBody, address }) => {
        if (!provider.isFromProvider(signedMessageOf(received()))) await refuseStranger(address)
        await provider.wake(readBody().reference.toLowerCase())
        return { received: true }
      },
    }),
  ]
}
