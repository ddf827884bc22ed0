import type { PostalCodeTable } from './table.ts'

// Compared with Unicode CLDR (postalCodeData) and libaddressinput; newer and stricter where the national post is.
// biome-ignore format: a table is read by column
export const postalCodesOfTheAmericas: PostalCodeTable = {
  // Four digits, or the eight characters of the CPA: a letter of the province (never I or O), and three of the block.
  AR: [/^([A-HJ-NP-Z])?\d{4}([A-Z]{3})?$/i,                            'C1002ABC'],
  BL: [/^97[017]\d{2}$/,                                               '97133'],
  BM: [/^[A-Z]{2} ?[A-Z0-9]{2}$/i,                                     'HM 12'],
  BR: [/^\d{5}-?\d{3}$/,                                               '01310-100'],
  // Canada Post uses no D, F, I, O, Q and U anywhere, and no W and Z at the start.
  CA: [/^[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]?\d[ABCEGHJ-NPRSTV-Z]\d$/i, 'K1A 0B1'],
  CL: [/^\d{3}[- ]?\d{4}$/,                                            '8320000'],
  CO: [/^\d{6}$/,                                                      '110111'],
  CR: [/^[1-7]\d{4}$/,                                                 '10101'],
  CU: [/^\d{5}$/,                                                      '10400'],
  DO: [/^\d{5}$/,                                                      '10101'],
  EC: [/^\d{6}$/,                                                      '170150'],
  FK: [/^FIQQ ?1ZZ$/i,                                                 'FIQQ 1ZZ'],
  GF: [/^973\d{2}$/,                                                   '97300'],
  GL: [/^39\d{2}$/,                                                    '3900'],
  GP: [/^97[01]\d{2}$/,                                                '97100'],
  GT: [/^\d{5}$/,                                                      '01001'],
  KY: [/^KY\d-\d{4}$/i,                                                'KY1-1100'],
  MF: [/^97[018]\d{2}$/,                                               '97150'],
  MQ: [/^972\d{2}$/,                                                   '97200'],
  MX: [/^\d{5}$/,                                                      '06000'],
  // Five digits since 2011; people still write the numbered districts of Lima and Callao.
  PE: [/^(?:[0-2]\d{4}|LIMA ?\d{1,2}|CALLAO ?\d{1,2})$/i,              '15001'],
  PM: [/^97500$/,                                                      '97500'],
  PR: [/^00[679]\d{2}(?:[- ]?\d{4})?$/,                                '00901'],
  TC: [/^TKCA ?1ZZ$/i,                                                 'TKCA 1ZZ'],
  US: [/^\d{5}(?:[- ]?\d{4})?$/,                                       '10001'],
  UY: [/^\d{5}$/,                                                      '11000'],
  VG: [/^VG ?\d{4}$/i,                                                 'VG1110'],
  VI: [/^008\d{2}(?:[- ]?\d{4})?$/,                                    '00802'],
}
