import type { Payment, PayoutReturn, RailReport } from '../rail.ts'

/** Writes a report as JSON: amounts and block numbers are texts. */
export function writeReport(report: RailReport): unknown {
  return JSON.parse(JSON.stringify(report, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
}

/** A report as it is stored. */
type Stored =
  | Exclude<RailReport, { amount: bigint }>
  | ({ state: 'RETURNED'; currency?: string; entryId?: string; amount: string } & Omit<PayoutReturn, 'amount'>)
  | { state: 'PAID_TWICE'; externalReference: string; amount: string }
  | ({ state: 'CONFIRMED'; amount: string; costs: { asset: string; amount: string }[] } & {
      block?: { number: string; hash: string }
    } & Omit<Payment, 'amount' | 'costs' | 'block'>)

/** Reads a report that writeReport has written. */
export function readReport(content: unknown): RailReport {
  const stored = content as Stored
  if (stored.state === 'RETURNED' || stored.state === 'PAID_TWICE') return { ...stored, amount: BigInt(stored.amount) }
  if (stored.state !== 'CONFIRMED') return stored
  const { amount, costs, block, ...told } = stored
  return {
    ...told,
    amount: BigInt(amount),
    costs: costs.map((cost) => ({ ...cost, amount: BigInt(cost.amount) }) as Payment['costs'][number]),
    ...(block ? { block: { ...block, number: BigInt(block.number) } } : {}),
  }
}
