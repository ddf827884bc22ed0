import { expect, test } from 'vitest'
import { indexList } from '../lists/list-index.ts'
import type { EntryKind, ListedEntry, NameQuality } from '../screening.ts'

/** Invented persons and businesses in the shapes that published lists have. */
// biome-ignore format: a table is read by column
const listed: readonly (readonly [EntryKind, string, (string | undefined)?, (readonly [string, NameQuality])?])[] = [
  ['individual', 'VOROSHKIN, Igor Ivanovich',                '1961-03-12'],
  ['individual', 'AL-QARADUNI, Sabir Ibrahim Hasan',         '1955-01-01'],
  ['individual', 'ABD AL-RAHMAN, Muhammad Yusuf',            '1970-05-05'],
  ['individual', 'DENG, Xiaobing'],
  ['individual', 'ZHAO, Mingde'],
  ['individual', 'GARCIA LOPEZ, Jose Antonio',               '1968-07-01'],
  ['individual', 'ZAMBRENA LUGARDO, Joaquin',                '1957-04-04'],
  ['individual', 'SMITH, John',                              '1950-02-02'],
  ['individual', 'ALI, Mohammed Hassan',                     '1980-08-08'],
  ['individual', 'BIN HASHRAN, Khalid',                      undefined, ['ABU SULAYM', 'alternate']],
  ['individual', 'KHRUSHCHOVSKY, Yevgeny'],
  ['individual', 'PAPADIMOPOULOS, Georgios'],
  ['individual', 'KIM, Yong Chol'],
  ['individual', 'MOHSENIPOUR, Gholamreza',                  undefined, ['REZA', 'weak']],
  ['individual', 'OBRENDIC, Zoran',                          undefined, ['TORO', 'weak']],
  ['individual', 'QUERALTO Y PONCE DE LEON, Maria del Carmen'],
  ['individual', 'KOSTRIKHOV, Aleksandr Vladimirovich'],
  ['individual', 'GHAZNAVI, Abdul'],
  ['individual', "AL QADIRAN, Shaykh Nuri 'Abd"],
  ['individual', 'DINARI, Fakhr al'],
  ['entity',     'ROSKALNEFT OIL COMPANY'],
  ['entity',     'GULF STAR TRADING L.L.C.'],
  ['entity',     'MEHRANABAD PETROCHEMICAL INDUSTRIES'],
  ['entity',     'ASIA BANK'],
  ['entity',     'TDK'],
  ['entity',     'HIZBALNUR'],
  ['entity',     'KEK'],
  ['entity',     'MORALVEST SP. Z O.O.'],
  ['entity',     'PETROKAVIR JOINT STOCK COMPANY'],
  ['entity',     'ISLAMIC SUPPORT BRIGADE COMMAND'],
  ['individual', 'RI, Sang Chol'],
  ['individual', 'O, Kuk Ryol'],
  ['individual', 'SHINODA, Kenichi'],
  ['individual', 'TAKAYAMA, Kiyoshi'],
  ['individual', 'KARIMPOUR, Morteza',                       '1959-04-10'],
  ['individual', 'QASEMZADEH, Reza'],
  ['individual', 'ORELLANO SALVATIERRA, Jose Ramon',         '1971-11-23'],
  ['individual', 'KHAN, Abdul Zahirzai'],
  ['vessel',     'SEA PHOENIX'],
]
const entries: ListedEntry[] = listed.map(([kind, name, birth, other], at) => ({
  number: String(at + 1),
  kind,
  names: [{ text: name, quality: 'primary' }, ...(other ? [{ text: other[0], quality: other[1] }] : [])],
  births: birth ? [{ from: birth, to: birth }] : [],
  addresses: [],
}))
const steps = indexList(entries)
let step = steps.next()
while (!step.done) step = steps.next()
const index = step.value

const findBest = (kind: 'INDIVIDUAL' | 'BUSINESS', name: string, dateOfBirth?: string) => {
  const [best] = index.findName({ kind, name, ...(dateOfBirth ? { dateOfBirth } : {}) })
  return best ? `${best.strength} ${listed[Number(best.entryNumber) - 1]?.[1]}` : 'no match'
}

// biome-ignore format: a table is read by column
test.each([
  // a word that the comma of the list cuts in two
  ['Abdul Ghaznavi',                  undefined,    'match GHAZNAVI, Abdul'],
  ['Abd al-Ghaznavi',                 undefined,    'match GHAZNAVI, Abdul'],
  ['Ghaznavi Abdul',                  undefined,    'match GHAZNAVI, Abdul'],
  ['Nuri Abdel Qadiran',              undefined,    "match AL QADIRAN, Shaykh Nuri 'Abd"],
  ['Fakhr al-Dinari',                 undefined,    'match DINARI, Fakhr al'],
  // as listed, in other orders, without a middle name
  ['Igor Ivanovich Voroshkin',        undefined,    'match VOROSHKIN, Igor Ivanovich'],
  ['VOROSHKIN IGOR IVANOVICH',        undefined,    'match VOROSHKIN, Igor Ivanovich'],
  ['Ivanovich Voroshkin Igor',        undefined,    'match VOROSHKIN, Igor Ivanovich'],
  ['Igor Voroshkin',                  undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['Igor Voroshkin',                  '1961-03-12', 'match VOROSHKIN, Igor Ivanovich'],
  ['Igor Voroshkin',                  '1990-03-12', 'no match'],
  ['Igor Ivanovich Voroshkin',        '1990-03-12', 'possible VOROSHKIN, Igor Ivanovich'],
  ['Igor Ivanovich Voroshkin',        '1963-01-01', 'match VOROSHKIN, Igor Ivanovich'],
  ['I. I. Voroshkin',                 undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  // other scripts and transliterations
  ['Игорь Иванович Ворошкин',         undefined,    'match VOROSHKIN, Igor Ivanovich'],
  ['Игорь Ворошкин',                  undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['Ihor Ivanovych Woroschkin',       undefined,    'match VOROSHKIN, Igor Ivanovich'],
  ['Евгений Хрущовский',              undefined,    'match KHRUSHCHOVSKY, Yevgeny'],
  ['Evgeniy Khrushchovskiy',          undefined,    'match KHRUSHCHOVSKY, Yevgeny'],
  ['Yevgeni Khrushchovski',           undefined,    'match KHRUSHCHOVSKY, Yevgeny'],
  ['Γεώργιος Παπαδημόπουλος',         undefined,    'match PAPADIMOPOULOS, Georgios'],
  ['Aleksandr Kostrikhoff',           undefined,    'possible KOSTRIKHOV, Aleksandr Vladimirovich'],
  ['Sasha Kostrikhov',                undefined,    'possible KOSTRIKHOV, Aleksandr Vladimirovich'],
  ['Sasha Vladimirovich Kostrikhov',  undefined,    'possible KOSTRIKHOV, Aleksandr Vladimirovich'],
  ['김용철',                            undefined,    'match KIM, Yong Chol'],
  ['김 용 철',                          undefined,    'match KIM, Yong Chol'],
  ['金永哲',                            undefined,    'match KIM, Yong Chol'],
  ['Gim Yeong-cheol',                 undefined,    'match KIM, Yong Chol'],
  ['Young Chul Kim',                  undefined,    'match KIM, Yong Chol'],
  ['이상철',                            undefined,    'match RI, Sang Chol'],
  ['Rhee Sang-chul',                  undefined,    'match RI, Sang Chol'],
  ['Lee Sang Cheol',                  undefined,    'match RI, Sang Chol'],
  ['Chol Sang Lee',                   undefined,    'no match'],
  ['오국렬',                            undefined,    'match O, Kuk Ryol'],
  ['篠田 建市',                         undefined,    'match SHINODA, Kenichi'],
  ['篠田建市',                          undefined,    'match SHINODA, Kenichi'],
  ['しのだ けんいち',                      undefined,    'match SHINODA, Kenichi'],
  ['タカヤマ キヨシ',                      undefined,    'match TAKAYAMA, Kiyoshi'],
  ['高山清',                            undefined,    'match TAKAYAMA, Kiyoshi'],
  // Persian reads some letters otherwise than Arabic
  ['مرتضی کریم‌پور',                    undefined,    'match KARIMPOUR, Morteza'],
  ['رضا قاسم زاده',                     undefined,    'match QASEMZADEH, Reza'],
  ['Rida Ghasemzadeh',                undefined,    'match QASEMZADEH, Reza'],
  // the first given name and the first family name of a longer name
  ['Jose Orellano',                   undefined,    'possible ORELLANO SALVATIERRA, Jose Ramon'],
  ['Orellano Jose',                   undefined,    'possible ORELLANO SALVATIERRA, Jose Ramon'],
  ['José Ramón Orellano',             undefined,    'possible ORELLANO SALVATIERRA, Jose Ramon'],
  ['Sabir Qaraduni',                  undefined,    'possible AL-QARADUNI, Sabir Ibrahim Hasan'],
  ['صابر القردوني',                    undefined,    'possible AL-QARADUNI, Sabir Ibrahim Hasan'],
  ['Abdul Khan',                      '1971-11-23', 'no match'],
  ['Jose Antonio Garcia',             undefined,    'possible GARCIA LOPEZ, Jose Antonio'],
  // a birth date that is off by a day, a year, or day for month
  ['Jose Orellano',                   '1971-11-24', 'possible ORELLANO SALVATIERRA, Jose Ramon'],
  ['Jose Orellano',                   '1972-11-23', 'possible ORELLANO SALVATIERRA, Jose Ramon'],
  ['Jose Garcia',                     '1968-07-02', 'possible GARCIA LOPEZ, Jose Antonio'],
  ['Jose Garcia',                     '1969-07-01', 'possible GARCIA LOPEZ, Jose Antonio'],
  ['Jose Garcia',                     '1968-01-07', 'possible GARCIA LOPEZ, Jose Antonio'],
  ['Jose Garcia',                     '1991-07-01', 'no match'],
  // padding, invisible and imitated letters
  [`${'Mr '.repeat(16)}Igor Ivanovich Voroshkin`, undefined, 'match VOROSHKIN, Igor Ivanovich'],
  ['Igor Ivanovich Voroshkin Payment Services Consulting Account Invoice Transfer', undefined, 'possible VOROSHKIN, Igor Ivanovich'],
  ['Payment Services Igor Ivanovich Voroshkin Account Invoice', undefined, 'possible VOROSHKIN, Igor Ivanovich'],
  ['I\u200bgor Iva\u00adnovich Vorosh\u2060kin', undefined, 'match VOROSHKIN, Igor Ivanovich'],
  ['Іgоr Ivаnоviсh Vоrоshkіn',        undefined,    'match VOROSHKIN, Igor Ivanovich'],
  ['1gor Ivanov1ch V0r0shkin',        undefined,    'match VOROSHKIN, Igor Ivanovich'],
  ['Igor Ivano vich Vorosh kin',      undefined,    'match VOROSHKIN, Igor Ivanovich'],
  ['Igor Voroshkin-Smith',            undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['Smith-Voroshkin Igor',            undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['Igor Voroshkin and Anna Smith',   undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['Anna Smith & Igor Voroshkin',     undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['Igor Voroshkin Payment Services', undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['IgorVoroshkin',                   undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['SabiralQaraduni',                 undefined,    'possible AL-QARADUNI, Sabir Ibrahim Hasan'],
  ['IGORVOROSHKIN',                   undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['voroshkinigor',                   undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['ИгорьВорошкин',                   undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['Kim Yong-chol',                   undefined,    'match KIM, Yong Chol'],
  ['Yongchol Kim',                    undefined,    'match KIM, Yong Chol'],
  // Arabic names: articles, "son of", servants, spellings, script
  ['Sabir Ibrahim Hasan al-Qaraduni', undefined,    'match AL-QARADUNI, Sabir Ibrahim Hasan'],
  ['Saber Ebrahim Hassan Qaraduni',   undefined,    'match AL-QARADUNI, Sabir Ibrahim Hasan'],
  ['Sabir Ibrahim Hassan Elqaraduni', undefined,    'no match'],
  ['Sabir Ibrahim Hassan Alqaraduni', undefined,    'match AL-QARADUNI, Sabir Ibrahim Hasan'],
  ['صابر إبراهيم حسن القردوني',       undefined,    'match AL-QARADUNI, Sabir Ibrahim Hasan'],
  ['Mohammed Youssef Abdulrahman',    undefined,    'match ABD AL-RAHMAN, Muhammad Yusuf'],
  ['Mohamed Yousef Abderrahmane',     undefined,    'match ABD AL-RAHMAN, Muhammad Yusuf'],
  ['محمد يوسف عبد الرحمن',            undefined,    'match ABD AL-RAHMAN, Muhammad Yusuf'],
  ['محمد يوسف عبدالرحمن',             undefined,    'match ABD AL-RAHMAN, Muhammad Yusuf'],
  ['Khalid Hashran',                  undefined,    'match BIN HASHRAN, Khalid'],
  ['Khaled ibn Hashran',              undefined,    'match BIN HASHRAN, Khalid'],
  ['Khaled Binhashran',               undefined,    'match BIN HASHRAN, Khalid'],
  ['Abou Suleym',                     undefined,    'match BIN HASHRAN, Khalid'],
  // Chinese names in other spellings
  ['Xiaobing Deng',                   undefined,    'match DENG, Xiaobing'],
  ['Deng Xiao Bing',                  undefined,    'match DENG, Xiaobing'],
  ['Deng Xiao-Bing',                  undefined,    'match DENG, Xiaobing'],
  ['Teng Hsiao-ping',                 undefined,    'match DENG, Xiaobing'],
  ['邓小兵',                            undefined,    'match DENG, Xiaobing'],
  ['鄧小兵',                            undefined,    'match DENG, Xiaobing'],
  ['Chao Ming-te',                    undefined,    'match ZHAO, Mingde'],
  // spelling mistakes
  ['Igor Ivanovich Voroshkim',        undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['Igor Ivanovich Vorohskin',        undefined,    'possible VOROSHKIN, Igor Ivanovich'],
  ['Joaqin Zambrena Lugardo',         undefined,    'match ZAMBRENA LUGARDO, Joaquin'],
  ['Joaquin Zambrena',                undefined,    'possible ZAMBRENA LUGARDO, Joaquin'],
  ['María del Carmen Queraltó Ponce de León', undefined, 'match QUERALTO Y PONCE DE LEON, Maria del Carmen'],
  ['John Smith',                      undefined,    'match SMITH, John'],
  ['Smith John',                      '1950-02-02', 'match SMITH, John'],
  ['Jon Smith',                       undefined,    'match SMITH, John'],
  ['Mohamed Hasan Ali',               undefined,    'match ALI, Mohammed Hassan'],
] as const)('%s, born %s: %s', (name, dateOfBirth, expected) => {
  expect(findBest('INDIVIDUAL', name, dateOfBirth)).toBe(expected)
})

test.each([
  // a common name must not match a person who shares a word or two with it
  'Jose Garcia',
  'Antonio Lopez',
  'Igor Valentin Voroshkov',
  'Jose Salvatierra',
  'Maria Garcia Lopez',
  'Wei Wang',
  'Ming Zhao',
  'Xiao Deng',
  'Mohammed Ali',
  'Mohammed Hassan',
  'Hassan Ali',
  'Ali Hassan',
  'Muhammad Yusuf',
  'Ibrahim Hasan',
  'Igor Ivanovich',
  'Igor Ivanov',
  'Ivan Voroshkin',
  'John Albert Smithson',
  'Jane Smith',
  'J. Smith',
  'Johnny Walker',
  'Khalid',
  'Reza Ahmadi',
  'Juan Toro',
  'Toro Rosso',
  'Yong Kim',
  'Maria del Carmen',
  'Carmen Ponce',
  'Georgios',
  'Zoran',
  // the names of two people, and parts of names, that are common
  'Igor Ivanov-Smith',
  'Jose Garcia-Perez',
  'Jose Garcia and Maria Lopez',
  'JoseGarcia',
  'Anna Voroshkin-Igor',
  '',
  'Aleksandr Vladimirovich',
  'Vladimir Aleksandrov',
  'Sea Phoenix',
  '山田太郎',
  'สมชาย',
  '...',
  '1234',
])('%s matches no entry', (name) => {
  expect(findBest('INDIVIDUAL', name)).toBe('no match')
})

test('a common name with another birth date is no match', () => {
  expect(findBest('INDIVIDUAL', 'John Smith', '1991-01-01')).toBe('no match')
})

// biome-ignore format: a table is read by column
test.each([
  ['Roskalneft',                                'possible ROSKALNEFT OIL COMPANY'],
  ['OOO Roskal Neft',                           'possible ROSKALNEFT OIL COMPANY'],
  ['ООО Роскалнефть',                           'possible ROSKALNEFT OIL COMPANY'],
  ['Gulf Star Trading LLC',                     'match GULF STAR TRADING L.L.C.'],
  ['Gulfstar Trading GmbH',                     'match GULF STAR TRADING L.L.C.'],
  ['Mehranabad Petrochemical Industries Co',    'match MEHRANABAD PETROCHEMICAL INDUSTRIES'],
  ['Mehranabad Petro-chemical Industries',      'match MEHRANABAD PETROCHEMICAL INDUSTRIES'],
  ['Mehranabat Petrochemical Industries',       'possible MEHRANABAD PETROCHEMICAL INDUSTRIES'],
  ['Sea Phoenix',                               'match SEA PHOENIX'],
  ['TDK GmbH',                                  'match TDK'],
  ['Hezbolnour',                                'possible HIZBALNUR'],
  ['Hizbulnur',                                 'possible HIZBALNUR'],
  ['Hizbalnur Holding Group',                   'possible HIZBALNUR'],
  ['Hizbalnur Payment Services Office',         'possible HIZBALNUR'],
  ['Kek',                                       'match KEK'],
  ['QUIK',                                      'no match'],
  ['KIK',                                       'no match'],
  ['Moralvest OÜ',                              'match MORALVEST SP. Z O.O.'],
  ['Moralvest, S. de R.L. de C.V.',             'match MORALVEST SP. Z O.O.'],
  ['Moralvest Gesellschaft mit beschränkter Haftung', 'match MORALVEST SP. Z O.O.'],
  ['OOO "Moralvest"',                           'match MORALVEST SP. Z O.O.'],
  ['Morlavest Ltd',                             'possible MORALVEST SP. Z O.O.'],
  ['Moralvest Group of Poland',                 'possible MORALVEST SP. Z O.O.'],
  ['Petrokavir LLC',                            'match PETROKAVIR JOINT STOCK COMPANY'],
  ['Joint Stock Company Petrokavir',            'match PETROKAVIR JOINT STOCK COMPANY'],
  ['Another Joint Stock Company',               'no match'],
  ['Islamic Suport Brigade Command',            'match ISLAMIC SUPPORT BRIGADE COMMAND'],
  ['RoskalneftTrading',                         'possible ROSKALNEFT OIL COMPANY'],
  ['ROSKALNEFTTRADING LLC',                     'possible ROSKALNEFT OIL COMPANY'],
  ['MoralvestGroup Ltd',                        'possible MORALVEST SP. Z O.O.'],
  ['moralvestholding',                          'possible MORALVEST SP. Z O.O.'],
  ['GulfTrading',                               'no match'],
  ['Gulftrading',                               'no match'],
  ['TDK Plumbing and Heating',                  'no match'],
  ['TDX',                                       'no match'],
  ['Star Trading LLC',                          'no match'],
  ['Gulf Trading',                              'no match'],
  ['Asia Food Bank of the North',               'no match'],
  ['Petrochemical Industries',                  'no match'],
  ['General Oil Company',                       'no match'],
  ['Igor Ivanovich Voroshkin',                  'no match'],
] as const)('the business %s: %s', (name, expected) => {
  expect(findBest('BUSINESS', name)).toBe(expected)
})

test('a text pasted as a name costs no more than a name', () => {
  for (const name of ['a'.repeat(100_000), 'Ali '.repeat(50_000), '王'.repeat(50_000), 'محمد '.repeat(20_000)])
    expect(findBest('INDIVIDUAL', name)).toBe('no match')
})

test('a match gives its reasons in words and quotes nothing of the screened name', () => {
  const [match] = index.findName({ kind: 'INDIVIDUAL', name: 'Игорь Ворошкин', dateOfBirth: '1961-03-12' })
  expect(match).toEqual({
    entryNumber: '1',
    listedName: 'VOROSHKIN, Igor Ivanovich',
    score: expect.any(Number),
    strength: 'match',
    reasons: ['written in another script', 'part of the listed name is missing', 'the birth date agrees'],
  })
  expect(Number.isInteger(match?.score)).toBe(true)
})
