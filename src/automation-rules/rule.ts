import type { Asset } from '../catalog/currencies.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import type { OwnData } from '../lib/resources/own-data.ts'
import type { Transitions } from '../lib/transitions.ts'
import type { DeveloperFeeType } from '../quotes/quote.ts'

export const triggerTypes = ['THRESHOLD_BASED', 'TIME_BASED'] as const
export type TriggerType = (typeof triggerTypes)[number]

export const amountTypes = ['FLAT', 'PCT'] as const
export type AmountType = (typeof amountTypes)[number]

export const ruleStatuses = ['ACTIVE', 'PAUSED'] as const
export type RuleStatus = (typeof ruleStatuses)[number]

export type Rule = {
  organizationId: string
  ruleId: string
  /** The key that answers for it: the one that wrote the terms or resumed it last, or its successor. */
  apiKeyId: string | null
  customerId: string
  name: string
  sourcePaymentAccountId: string
  sourceAsset: Asset
  sourceMethod: PaymentMethod
  destinationPaymentAccountId: string
  destinationAsset: Asset
  destinationMethod: PaymentMethod
  amountType: AmountType
  /** As the caller wrote it. */
  amountText: string
  /** Smallest units of the source asset, or ten-thousandths of a percent. */
  amountUnits: string
  developerFeeType: DeveloperFeeType | null
  developerFeeText: string | null
  triggerType: TriggerType
  cronSchedule: string | null
  thresholdText: string | null
  thresholdUnits: string | null
  status: RuleStatus
  version: number
  nextRunAt: Date | null
  createdAt: Date
  updatedAt: Date
  deletedAt: Date | null
} & OwnData

/** The lifecycle of a rule. `deletedAt` marks a deleted rule, which keeps its status. */
export const ruleMoves = {
  pause: { from: ['ACTIVE'], to: 'PAUSED' },
  resume: { from: ['PAUSED'], to: 'ACTIVE' },
} as const satisfies Transitions<RuleStatus>

/** Bounds the rules that one credit re-checks and one preview simulates. */
export const maxRulesPerWallet = 100
