import type { settingsOf } from '../settings.ts'
import { readProvider, type VerificationProvider } from './provider.ts'

export type VerificationSettings = {
  verificationProvider: VerificationProvider | undefined
  /** True when our own checks of documents may approve a customer whom no outside provider has checked. */
  builtinDocumentChecksApprove: boolean
  /** Whether a match is cleared by a reviewer's key, or a key of the platform, alone. */
  reviewsNeedTwo: boolean
  /** The age at which a watch list is too old, and whether the operator accepts approvals and payouts without one. */
  watchLists: { maxAgeSeconds: number; acceptsUnscreened: boolean }
}

/** Reads who verifies and screens. The sandbox approves and pays without a watch list unless it is told not to. */
export function readVerification(
  environment: 'sandbox' | 'production',
  settings: ReturnType<typeof settingsOf>,
): VerificationSettings {
  const { integer, oneOf } = settings
  const isSandbox = environment === 'sandbox'
  const [documents, unscreened] = isSandbox ? (['approve', 'true'] as const) : (['review', 'false'] as const)
  const fourEyes = isSandbox ? 'false' : 'true'
  return {
    verificationProvider: readProvider(environment, settings),
    builtinDocumentChecksApprove:
      oneOf('SVC_BUILTIN_DOCUMENT_CHECKS', ['approve', 'review'] as const, documents) === 'approve',
    reviewsNeedTwo: oneOf('SVC_REVIEW_FOUR_EYES', ['true', 'false'] as const, fourEyes) === 'true',
    watchLists: {
      maxAgeSeconds: integer('SVC_WATCH_LIST_MAX_AGE', 259_200, 3_600, 31_536_000),
      acceptsUnscreened: oneOf('SVC_ACCEPT_UNSCREENED', ['true', 'false'] as const, unscreened) === 'true',
    },
  }
}
