import type { PostalCodeTable } from './table.ts'

// Compared with Unicode CLDR (postalCodeData) and libaddressinput; newer and stricter where the national post is.
// biome-ignore format: a table is read by column
export const postalCodesOfAfrica: PostalCodeTable = {
  CV: [/^\d{4}$/,               '7600'],
  DZ: [/^\d{5}$/,               '16000'],
  // Five digits, or the seven of the newer codes.
  EG: [/^\d{5}(\d{2})?$/,       '11511'],
  ET: [/^\d{4}$/,               '1000'],
  KE: [/^\d{5}$/,               '00100'],
  MA: [/^\d{5}$/,               '10000'],
  MG: [/^\d{3}$/,               '101'],
  MU: [/^\d{5}$/,               '11302'],
  NG: [/^\d{6}$/,               '900211'],
  RE: [/^974\d{2}$/,            '97400'],
  SN: [/^\d{5}$/,               '10000'],
  SZ: [/^[HLMS]\d{3}$/i,        'H100'],
  TN: [/^\d{4}$/,               '1000'],
  YT: [/^976\d{2}$/,            '97600'],
  ZA: [/^\d{4}$/,               '0001'],
  ZM: [/^\d{5}$/,               '10101'],
}
