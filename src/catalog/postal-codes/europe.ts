import type { PostalCodeTable } from './table.ts'

// Compared with Unicode CLDR (postalCodeData) and libaddressinput; newer and stricter where the national post is.
// biome-ignore format: a table is read by column
export const postalCodesOfEurope: PostalCodeTable = {
  AD: [/^AD[1-7]\d{2}$/i,                                    'AD500'],
  AL: [/^[1-9]\d{3}$/,                                       '1001'],
  AT: [/^[1-9]\d{3}$/,                                       '1010'],
  AX: [/^22\d{3}$/,                                          '22100'],
  BA: [/^[78]\d{4}$/,                                        '71000'],
  BE: [/^[1-9]\d{3}$/,                                       '1000'],
  BG: [/^[1-9]\d{3}$/,                                       '1000'],
  BY: [/^2\d{5}$/,                                           '220030'],
  CH: [/^[1-9]\d{3}$/,                                       '8001'],
  CY: [/^[1-9]\d{3}$/,                                       '1010'],
  CZ: [/^[1-7]\d{2} ?\d{2}$/,                                '110 00'],
  DE: [/^(?:0[1-9]|[1-9]\d)\d{3}$/,                          '10115'],
  DK: [/^\d{4}$/,                                            '1050'],
  EE: [/^\d{5}$/,                                            '10111'],
  ES: [/^(?:0[1-9]|[1-4]\d|5[0-2])\d{3}$/,                   '28013'],
  FI: [/^\d{5}$/,                                            '00100'],
  FO: [/^\d{3}$/,                                            '100'],
  FR: [/^(?:0[1-9]|[1-8]\d|9[0-8]) ?\d{3}$/,                 '75001'],
  GB: [unitedKingdom(),                                      'SW1A 1AA'],
  GG: [/^GY\d{1,2} ?\d[ABD-HJLNP-UW-Z]{2}$/i,                'GY1 1AA'],
  GI: [/^GX11 ?1AA$/i,                                       'GX11 1AA'],
  GR: [/^[1-8]\d{2} ?\d{2}$/,                                '105 57'],
  HR: [/^[1-5]\d{4}$/,                                       '10000'],
  HU: [/^[1-9]\d{3}$/,                                       '1051'],
  // Eircode: a routing key (Dublin 6 West is the one with a letter at its end) and four characters of one address.
  IE: [/^(?:[AC-FHKNPRTV-Y]\d{2}|D6W) ?[0-9AC-FHKNPRTV-Y]{4}$/i, 'D02 AF30'],
  IM: [/^IM\d{1,2} ?\d[ABD-HJLNP-UW-Z]{2}$/i,                'IM1 1AA'],
  IS: [/^[1-9]\d{2}$/,                                       '101'],
  IT: [/^\d{5}$/,                                            '00184'],
  JE: [/^JE\d{1,2} ?\d[ABD-HJLNP-UW-Z]{2}$/i,                'JE2 3AB'],
  LI: [/^94(?:8[5-9]|9[0-8])$/,                              '9490'],
  // The Baltic posts, Luxembourg and Moldova write letters before the digits; people leave them out.
  LT: [/^(?:LT-?)?\d{5}$/i,                                  'LT-01100'],
  LU: [/^(?:L-?)?\d{4}$/i,                                   'L-1111'],
  LV: [/^(?:LV-?)?\d{4}$/i,                                  'LV-1010'],
  MC: [/^980\d{2}$/,                                         '98000'],
  MD: [/^(?:MD-?)?\d{4}$/i,                                  'MD-2001'],
  ME: [/^8\d{4}$/,                                           '81000'],
  MK: [/^[1-7]\d{3}$/,                                       '1000'],
  MT: [/^[A-Z]{3} ?\d{4}$/i,                                 'VLT 1117'],
  // PostNL assigns no SA, SD and SS.
  NL: [/^[1-9]\d{3} ?(?!S[ADS])[A-Z]{2}$/i,                  '1012 JS'],
  NO: [/^\d{4}$/,                                            '0150'],
  PL: [/^\d{2}-?\d{3}$/,                                     '00-001'],
  PT: [/^[1-9]\d{3}[- ]?\d{3}$/,                             '1100-148'],
  RO: [/^\d{6}$/,                                            '010011'],
  // Five digits name a post office, six an address (PAK).
  RS: [/^\d{5,6}$/,                                          '11000'],
  RU: [/^\d{6}$/,                                            '101000'],
  SE: [/^[1-9]\d{2} ?\d{2}$/,                                '111 22'],
  SI: [/^[1-9]\d{3}$/,                                       '1000'],
  SJ: [/^\d{4}$/,                                            '9170'],
  SK: [/^[089]\d{2} ?\d{2}$/,                                '811 01'],
  SM: [/^4789\d$/,                                           '47890'],
  // The first two digits are the number of the province, 01 to 81.
  TR: [/^(?:0[1-9]|[1-7]\d|8[01])\d{3}$/,                    '34110'],
  UA: [/^\d{5}$/,                                            '01001'],
  VA: [/^00120$/,                                            '00120'],
}

/**
 * Royal Mail, Programmers' Guide to the Postcode Address File: which letters stand where. Beside the six shapes there
 * are GIR 0AA (formerly Girobank) and the older numbers of British Forces post offices.
 */
function unitedKingdom(): RegExp {
  const area = '[A-PR-UWYZ]'
  const second = '[A-HK-Y]'
  const outward = [`${area}${second}?\\d{1,2}`, `${area}\\d[A-HJKPSTUW]`, `${area}${second}\\d[ABEHMNPRVWXY]`]
  const inward = '\\d[ABD-HJLNP-UW-Z]{2}'
  return new RegExp(`^(?:(?:${outward.join('|')}) ?${inward}|GIR ?0AA|BFPO ?\\d{1,4})$`, 'i')
}
