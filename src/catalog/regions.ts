type EnforcedRegions = { of: string; example: string; names: Readonly<Record<string, string>> }

/**
 * Countries whose regions are checked, with the name of each region. Other countries accept any text.
 * US: United States Postal Service, Publication 28, appendix B: states, the District, territories, military addresses.
 * CA: Canada Post, Addressing Guidelines, which are the letters of ISO 3166-2:CA.
 * CN: ISO 3166-2:CN as changed on 23 November 2017, when letters replaced numbers such as CN-11.
 */
// biome-ignore format: a table is read by column
export const enforcedRegions: Readonly<Record<string, EnforcedRegions>> = {
  US: {
    of: 'a state or territory of the United States',
    example: 'NY',
    names: {
      AL: 'Alabama',        AK: 'Alaska',         AZ: 'Arizona',        AR: 'Arkansas',       CA: 'California',
      CO: 'Colorado',       CT: 'Connecticut',    DE: 'Delaware',       FL: 'Florida',        GA: 'Georgia',
      HI: 'Hawaii',         ID: 'Idaho',          IL: 'Illinois',       IN: 'Indiana',        IA: 'Iowa',
      KS: 'Kansas',         KY: 'Kentucky',       LA: 'Louisiana',      ME: 'Maine',          MD: 'Maryland',
      MA: 'Massachusetts',  MI: 'Michigan',       MN: 'Minnesota',      MS: 'Mississippi',    MO: 'Missouri',
      MT: 'Montana',        NE: 'Nebraska',       NV: 'Nevada',         NH: 'New Hampshire',  NJ: 'New Jersey',
      NM: 'New Mexico',     NY: 'New York',       NC: 'North Carolina', ND: 'North Dakota',   OH: 'Ohio',
      OK: 'Oklahoma',       OR: 'Oregon',         PA: 'Pennsylvania',   RI: 'Rhode Island',   SC: 'South Carolina',
      SD: 'South Dakota',   TN: 'Tennessee',      TX: 'Texas',          UT: 'Utah',           VT: 'Vermont',
      VA: 'Virginia',       WA: 'Washington',     WV: 'West Virginia',  WI: 'Wisconsin',      WY: 'Wyoming',
      DC: 'District of Columbia',
      AS: 'American Samoa', GU: 'Guam', MP: 'Northern Mariana Islands', PR: 'Puerto Rico', VI: 'Virgin Islands',
      AA: 'Armed Forces Americas', AE: 'Armed Forces Europe', AP: 'Armed Forces Pacific',
    },
  },
  CA: {
    of: 'a province or territory of Canada',
    example: 'ON',
    names: {
      AB: 'Alberta',        BC: 'British Columbia',           MB: 'Manitoba',              NB: 'New Brunswick',
      NS: 'Nova Scotia',    NL: 'Newfoundland and Labrador',  NT: 'Northwest Territories', NU: 'Nunavut',
      ON: 'Ontario',        PE: 'Prince Edward Island',       QC: 'Quebec',                SK: 'Saskatchewan',
      YT: 'Yukon',
    },
  },
  CN: {
    of: 'a province, municipality or region of China',
    example: 'GD',
    names: {
      BJ: 'Beijing',        TJ: 'Tianjin',        HE: 'Hebei',          SX: 'Shanxi',         NM: 'Inner Mongolia',
      LN: 'Liaoning',       JL: 'Jilin',          HL: 'Heilongjiang',   SH: 'Shanghai',       JS: 'Jiangsu',
      ZJ: 'Zhejiang',       AH: 'Anhui',          FJ: 'Fujian',         JX: 'Jiangxi',        SD: 'Shandong',
      HA: 'Henan',          HB: 'Hubei',          HN: 'Hunan',          GD: 'Guangdong',      GX: 'Guangxi',
      HI: 'Hainan',         CQ: 'Chongqing',      SC: 'Sichuan',        GZ: 'Guizhou',        YN: 'Yunnan',
      XZ: 'Tibet',          SN: 'Shaanxi',        GS: 'Gansu',          QH: 'Qinghai',        NX: 'Ningxia',
      XJ: 'Xinjiang',       TW: 'Taiwan',         HK: 'Hong Kong',      MO: 'Macao',
    },
  },
}

/** Describes the problem of a region in a country; undefined for a valid region and for a country without rules. */
export function regionProblem(countryCode: string, region: string): string | undefined {
  const enforced = Object.hasOwn(enforcedRegions, countryCode) ? enforcedRegions[countryCode] : undefined
  if (enforced === undefined || Object.hasOwn(enforced.names, region)) return undefined
  return `must be the two-letter code, in capitals, of ${enforced.of}, such as ${enforced.example}`
}
