import { texts } from './spoken.ts'

/** Dates, numbers, lists and names of countries, as the language of the page writes them. */

export const formatDay = (date: Date) => new Intl.DateTimeFormat(texts.locale, { dateStyle: 'long' }).format(date)

export const formatTime = (date: Date) => new Intl.DateTimeFormat(texts.locale, { timeStyle: 'short' }).format(date)

export const formatPercent = (share: number) =>
  new Intl.NumberFormat(texts.locale, { style: 'percent', maximumFractionDigits: 0 }).format(share)

export const formatNumber = (number: number | bigint) => new Intl.NumberFormat(texts.locale).format(number)

/** The forms of a word for counts, as its language has them: Arabic has six. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

export function formatCount(forms: Forms, count: number): string {
  const form = forms[new Intl.PluralRules(texts.locale).select(count)] ?? forms.other
  return form.replace('{count}', formatNumber(count))
}

/** Writes a date without a time, such as 1990-05-17. What is no date stays as it is typed. */
export function formatDate(text: string): string {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (year === undefined || date.toISOString().slice(0, 10) !== text) return text
  return new Intl.DateTimeFormat(texts.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
}

export function monthNames(): string[] {
  const { format } = new Intl.DateTimeFormat(texts.locale, { month: 'long', timeZone: 'UTC' })
  return Array.from({ length: 12 }, (_, month) => format(Date.UTC(2000, month)))
}

export function formatList(items: readonly string[]): string {
  return items.join(texts.locale.startsWith('ar') ? '، ' : ', ')
}

type Country = readonly [code: string, name: string]

const named = new WeakMap<readonly Country[], { locale: string; countries: Country[] }>()

/** The countries in the order of the language. A name that the browser does not know stays as the service sends it. */
export function nameCountries(countries: readonly Country[]): Country[] {
  const { locale } = texts
  const known = named.get(countries)
  if (known?.locale === locale) return known.countries
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
  const { compare } = new Intl.Collator(locale)
  const sorted = countries
    .map(([code, name]): Country => [code, names.of(code) ?? name])
    .sort(([, one], [, other]) => compare(one, other))
  named.set(countries, { locale, countries: sorted })
  return sorted
}

/** Reads what is typed on a keyboard with Arabic or Persian digits. */
export function latinDigits(text: string): string {
  return text.replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15))
}
