import type { PostalCodeTable } from './table.ts'

// Compared with Unicode CLDR (postalCodeData) and libaddressinput; newer and stricter where the national post is.
// biome-ignore format: a table is read by column
export const postalCodesOfAsiaAndThePacific: PostalCodeTable = {
  AM: [/^\d{4}$/,                            '0010'],
  AS: [/^96799(?:[- ]?\d{4})?$/,             '96799'],
  AU: [/^\d{4}$/,                            '2000'],
  AZ: [/^(?:AZ[- ]?)?\d{4}$/i,               'AZ1000'],
  BD: [/^[1-9]\d{3}$/,                       '1000'],
  // Bahrain numbers its blocks, in three or four digits.
  BH: [/^(?:1[0-2]|[1-9])\d{2}$/,            '317'],
  BN: [/^[A-Z]{2} ?\d{4}$/i,                 'BS8811'],
  BT: [/^\d{5}$/,                            '11001'],
  CN: [/^\d{6}$/,                            '100000'],
  GE: [/^\d{4}$/,                            '0105'],
  GU: [/^969\d{2}(?:[- ]?\d{4})?$/,          '96910'],
  ID: [/^[1-9]\d{4}$/,                       '10110'],
  // Seven digits since 2013; people still write the earlier five.
  IL: [/^\d{5}(?:\d{2})?$/,                  '9103401'],
  IN: [/^[1-9]\d{2} ?\d{3}$/,                '110001'],
  IR: [/^\d{5}-?\d{5}$/,                     '11936-12345'],
  JO: [/^\d{5}$/,                            '11118'],
  JP: [/^\d{3}-?\d{4}$/,                     '100-0001'],
  KG: [/^\d{6}$/,                            '720001'],
  // Six digits today; five before.
  KH: [/^\d{5,6}$/,                          '120101'],
  // Five digits since August 2015. The earlier six are out of use.
  KR: [/^\d{5}$/,                            '03051'],
  KW: [/^\d{5}$/,                            '13001'],
  LK: [/^\d{5}$/,                            '00100'],
  MP: [/^9695\d(?:[- ]?\d{4})?$/,            '96950'],
  MV: [/^\d{5}$/,                            '20026'],
  MY: [/^\d{5}$/,                            '50050'],
  NC: [/^988\d{2}$/,                         '98800'],
  NP: [/^\d{5}$/,                            '44600'],
  NZ: [/^\d{4}$/,                            '6011'],
  OM: [/^\d{3}$/,                            '100'],
  PF: [/^987\d{2}$/,                         '98713'],
  PG: [/^\d{3}$/,                            '121'],
  PH: [/^\d{4}$/,                            '1000'],
  PK: [/^\d{5}$/,                            '44000'],
  SA: [/^\d{5}(?:-?\d{4})?$/,                '11564'],
  SG: [/^\d{6}$/,                            '018956'],
  TH: [/^[1-9]\d{4}$/,                       '10200'],
  TJ: [/^\d{6}$/,                            '734000'],
  TM: [/^\d{6}$/,                            '744000'],
  // Three digits name a district. Two more followed until 2023, three more since 2020.
  TW: [/^\d{3}(?:\d{2,3})?$/,                '100'],
  UZ: [/^\d{6}$/,                            '100000'],
  // Five digits since 2018; people still write the earlier six.
  VN: [/^\d{5,6}$/,                          '11022'],
  WF: [/^986\d{2}$/,                         '98600'],
}
