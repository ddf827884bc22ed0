import type { Random } from './generated-list.ts'
import { coin } from './regions/pool.ts'

/** A business or other organization. `core` is its name without a legal form. */
export type Organization = { name: string; core: string; alias?: string; isVessel: boolean; isOneWord: boolean }

const words = (text: string) => text.trim().split(/\s+/)

const trades =
  words(`Trading General Import Export Shipping Petroleum Petrochemical Investment Industrial Holding Group International Commercial
  Engineering Construction Logistics Marine Services Energy Mining Exchange Electronics Aviation Metals Technology Transport Financial Consulting`)
const countries = words(
  `Iran Syria Russia Iranian Syrian Russian Korea China Lebanon Libya Cuba Sudan Yemen Iraq Belarus Venezuela Myanmar Turkey UAE`,
)
const forms =
  `LLC|Ltd.|L.L.C.|GmbH|OOO|S.A.|FZE|JSC|Co.|Limited|Corp.|S.R.L.|S.A. de C.V.|Joint Stock Company|Limited Liability Company|Public Joint Stock Company|S. de R.L. de C.V.|Sp. z o.o.|OÜ|d.o.o.|s.r.o.|Sdn. Bhd.|Pte. Ltd.|Co., Ltd.|A.Ş.|Oy|AB|Ltda.|EIRL|Kft.`.split(
    '|',
  )
/** Legal forms of many countries, for the same business written otherwise. */
export const foreignForms = [
  'Sp. z o.o.',
  'S. de R.L. de C.V.',
  'OÜ',
  'Joint Stock Company',
  'Open Joint Stock Company',
  'Limited Liability Company',
  'S.A. de C.V.',
  'Sociedad Anónima',
  'Sdn Bhd',
  'Pte. Ltd.',
  'Pty Ltd',
  'd.o.o.',
  's.r.o.',
  'GmbH & Co. KG',
  'Gesellschaft mit beschränkter Haftung',
  'Société Anonyme',
  'SARL',
  'S.p.A.',
  'B.V.',
  'A/S',
  'ApS',
  'Oyj',
  'UAB',
  'SIA',
  'EOOD',
  'K.K.',
  'Kabushiki Kaisha',
  'Co., Ltd.',
  'Anonim Şirketi',
  'Ltd. Şti.',
  'Private Limited',
  'PJSC',
  'ZAO',
  'TOO',
  'FZCO',
  'W.L.L.',
  'S.A.R.L.',
  'LLP',
  'EIRELI',
  'Unipessoal Lda',
]
const longParts =
  words(`Islamic Revolutionary Guard Corps Republic Army Liberation Front Movement Popular National Democratic Council Supreme Defense Ministry
  Intelligence Security Bureau Organization Jihad Martyrs Brigade Foundation Resistance Islamic Support Research Aerospace Missile Quds Command Forces
  State United Committee Party Workers People Federation Central Bank Export Development Academy Sciences Institute Design Plant Scientific Production`)
const oneWordHeads = words(
  `Hizb Taw Ans Jam Muj Has Fat Shab Qaws Zul Nujab Kata Harak Lashk Jais Taliq Hurr Bad Dawl Khor Ros Gaz Sber Almaz Ural Kamch Tekh`,
)
const oneWordTails = words(
  `allah hid ar iyya ahid bat aba iqar an iban asani neft prom bank mash eksport avia stroy kontsern invest energo atom`,
)

export function makeOrganization(random: Random): Organization {
  const shape = random.below(100)
  if (shape < 12) return oneWord(random)
  if (shape < 24) return plain(coin(random, 2, ['a', 'o', 'is']), true)
  if (shape < 34) {
    const core = random
      .shuffle(longParts)
      .slice(0, 3 + random.below(3))
      .join(' ')
    return plain(random.chance(0.4) ? `${core} of ${random.pick(countries)}` : core)
  }
  const coined = coin(random, 2 + random.below(2), ['', 'ex', 'a', 'an', 'ir', 'tech'])
  const second = random.chance(0.3) ? [coin(random, 1, ['', 'i', 'a'])] : []
  const trade = random.shuffle(trades).slice(0, random.below(3))
  const country = random.chance(0.15) ? [random.pick(countries)] : []
  const core = [coined, ...second, ...country, ...trade].join(' ')
  const organization = { core, isVessel: false, isOneWord: !core.includes(' ') }
  const isFormFirst = random.chance(0.1)
  const name = isFormFirst ? `${random.pick(['OOO', 'AO', 'PJSC', 'Limited Liability Company'])} ${core}` : core
  return { ...organization, name: isFormFirst ? name : `${core} ${random.pick(forms)}` }
}

function oneWord(random: Random): Organization {
  const core = random.chance(0.08)
    ? Array.from({ length: 3 + random.below(2) }, () => random.pick([...'ABCDEFGHIKLMNOPRSTUVZ'])).join('')
    : random.pick(oneWordHeads) + random.pick(oneWordTails)
  return { ...plain(core), isOneWord: true }
}

function plain(core: string, isVessel = false): Organization {
  return { name: core, core, isVessel, isOneWord: !core.includes(' ') }
}

const respellings: readonly (readonly [RegExp, string])[] = [
  [/u/, 'o'],
  [/o/, 'u'],
  [/i/, 'e'],
  [/e/, 'i'],
  [/q/, 'k'],
  [/k(?!h)/, 'q'],
  [/kh/, 'h'],
  [/w/, 'v'],
  [/j/, 'dj'],
  [/allah/, 'ollah'],
  [/allah/, 'ullah'],
  [/iyya$/, 'iya'],
  [/iyya$/, 'iyyah'],
  [/([bdfmnlrst])(?=[aeiou])/, '$1$1'],
  [/([a-z])\1/, '$1'],
  [/ks/, 'x'],
  [/a$/, 'ah'],
]

/** Another spelling of a word that sounds the same; undefined when no rule applies. */
export function respellSound(random: Random, word: string): string | undefined {
  const lower = word.toLowerCase()
  const others = respellings.map(([from, to]) => lower.replace(from, to)).filter((each) => each !== lower)
  return others.length > 0 ? random.pick(others) : undefined
}

const ordinaryWords =
  words(`Blue Green Ocean River Mountain Sun Moon Star Eagle Lion Tiger Bear Oak Pine Maple Cedar Stone Bridge Harbor Summit Valley Garden
  Pioneer Heritage Liberty Victory Crown Royal Premier Elite Alpha Omega Delta Sigma Nova Apex Vertex Pinnacle Horizon Fusion Quantum Digital Smart
  Bright Clear Fresh Pure Swift Rapid Prime Core Peak Atlas Titan Phoenix Orion Zenith Polaris Mercury Jupiter Neptune Family Village Corner Market
  Bakery Coffee Bistro Pizza Plumbing Roofing Landscaping Dental Legal Accounting Fitness Yoga Salon Auto Repair Cleaning Painting Design Studio Labs`)

/** An ordinary business: dictionary words, a coined word, or the name of its owner, with a legal form. */
export function makeOrdinaryBusiness(random: Random, surname: string): string {
  const some = (from: readonly string[], count: number) => random.shuffle(from).slice(0, count)
  const form = random.chance(0.8) ? [random.pick([...forms, 'Inc.', 'LLC', 'Ltd'])] : []
  const shape = random.below(10)
  if (shape < 4)
    return [...some(ordinaryWords, 1 + random.below(2)), ...some(trades, random.below(2)), ...form].join(' ')
  if (shape < 7) return [surname, ...some([...trades, 'Brothers', 'Sons', 'Partners', '& Co'], 1), ...form].join(' ')
  return [
    coin(random, 2 + random.below(2), ['', 'a', 'o', 'ly', 'ify']),
    ...some(trades, random.below(3)),
    ...form,
  ].join(' ')
}
