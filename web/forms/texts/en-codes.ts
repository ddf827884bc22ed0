/** The codes of the catalog whose words are not the code itself, in English. */
export const codes = {
  UNDER_10K: 'Less than 10,000',
  '10K_TO_50K': '10,000 to 50,000',
  '50K_TO_100K': '50,000 to 100,000',
  OVER_100K: 'More than 100,000',
  LESS_THAN_10000: 'Less than 10,000',
  BETWEEN_10000_99999: '10,000 to 99,999',
  BETWEEN_100000_999999: '100,000 to 999,999',
  OVER_1000000: '1,000,000 or more',
  LESS_THAN_100000: 'Less than 100,000',
  BETWEEN_1000000_9999999: '1,000,000 to 9,999,999',
  OVER_10000000: '10,000,000 or more',
  GMBH: 'GmbH',
  NATIONAL_ID: 'National identity card',
  SALE: 'Sale of property or other assets',
  BUSINESS: 'Own business',
  BENEFITS: 'Social benefits',
  SUPPLIERS: 'Paying suppliers',
  CUSTOMERS: 'Payments from and to customers',
  RECEIVE_SALARY: 'Receiving salary',
  REMITTANCE: 'Sending money to family or friends',
  PURCHASE_GOODS: 'Buying goods and services',
  SELF_EMPLOYED: 'Self-employed',
  EQUITY: 'Capital of the owners',
  INTERCOMPANY: 'Companies of the same group',
  DRIVERS_LICENSE: 'Driving licence',
  RESIDENCE_PERMIT: 'Residence permit',
  UTILITY_BILL: 'Utility bill',
  BANK_STATEMENT: 'Bank statement',
} as Record<string, string>

/** Codes that are said as they are written. */
export const acronyms =
  'SSN TIN ITIN EIN LLC LLP LP LTD PLC SA SAS SARL GMBH AG BV NV SRL SPA SL DNI CPF CURP RFC PAN SIN NIF NIE NINO UTR TFN'.split(
    ' ',
  )
