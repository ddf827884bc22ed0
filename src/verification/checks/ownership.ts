import type { KybData } from '../../customers/identity/identity.ts'
import { type Finding, needsInformation, type Submission } from '../submission.ts'

/** Sums of decimal fractions such as 33.34 + 33.33 + 33.33 miss 100 by less than this. */
const tolerance = 1e-6

export type Ownership = { isConsistent: boolean; percentages: number[] }

/**
 * The contract shows fractions and percentages under one name. If every value is at most 1 they are fractions of one,
 * else percentages. A value between 0 and 1 beside one above 1 is a mixture, whose meaning only the customer knows.
 */
export function readOwnership(values: readonly number[]): Ownership {
  const areFractions = values.every((value) => value <= 1)
  const isMixture = !areFractions && values.some((value) => value > 0 && value < 1)
  const percentages = values.map((value) => (areFractions ? value * 100 : value))
  const sum = percentages.reduce((total, each) => total + each, 0)
  const isInRange = percentages.every((each) => each >= 0 && each <= 100 + tolerance)
  return { isConsistent: !isMixture && isInRange && sum <= 100 + tolerance, percentages }
}

export function checkOwnership({ identity: { kybData } }: Submission): Finding[] {
  const { isConsistent } = readOwnership(ownershipValues(kybData))
  return isConsistent ? [] : [needsInformation('INCONSISTENT_INFORMATION', 'kybData.associatedPersons')]
}

function ownershipValues(kybData: KybData | undefined): number[] {
  return (kybData?.associatedPersons ?? []).flatMap(({ ownershipPercentage }) => ownershipPercentage ?? [])
}
