import { type Asset, isFiat, labelOf } from '../../catalog/currencies.ts'

/** Writes an amount as people of a locale do. The amount is a decimal text, of which no digit is lost. */
export function formatMoney(locale: string, amount: string, asset: Asset): string {
  const text = amount as Intl.StringNumericLiteral
  if (isFiat(asset)) return new Intl.NumberFormat(locale, { style: 'currency', currency: asset }).format(text)
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 18 }
  return `${new Intl.NumberFormat(locale, digits).format(text)} ${labelOf(asset)}`
}

/** Writes a moment in UTC. The script of the page replaces it with the time of the payer's own clock. */
export function formatMoment(locale: string, at: Date): string {
  const parts = { year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC', timeZoneName: 'short' }).format(at)
}

export function formatCount(locale: string, count: string): string {
  return new Intl.NumberFormat(locale).format(count as Intl.StringNumericLiteral)
}
