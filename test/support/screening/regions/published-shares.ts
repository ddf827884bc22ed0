import type { Curve } from './pool.ts'

/**
 * Curves through published counts of names. Two names of a region meet as often as the squares of their shares say, so a
 * pool with flat shares finds namesakes where the world has none, and misses the names that millions bear.
 *
 * - Spanish family names: the 2010 census of the United States, surnames times their share of Hispanics, of 50.5 million:
 *   Garcia 2.13 %, Torres (rank 10) 0.80, Chavez (20) 0.46, Valdez (53) 0.22.
 * - Spanish given names: the statistics institute of Spain (José in 115 of 1,000 men, Antonio in 60, Juan in 56; the first
 *   hundred names cover 65 % of the men; María in 253 of 1,000 women), and the remittances to Mexico (CEMLA 2015: 14.7 %
 *   of the men are José).
 * - Arabic given names of men: the civil registry of Jordan, births of 2013 to 2015 (Mohammad 31,000 of some 307,000 boys,
 *   Ahmad 14,789, Omar 10,640), and estimates for Sudan (Mohammed 3 million men, Ahmed 1.2, Khalid 0.5).
 * - Persian names: the civil registry of Iran (Mohammadi 960,505 bearers, Hosseini 661,824, Ahmadi 614,399; Mohammad
 *   2.44 million, Ali 2.26, Hossein 1.71, Mohammad Reza 0.85, Ahmad 0.76; Fatemeh 4.5 million, Zahra 3, Maryam 1.73).
 * - Chinese given names: the fifty commonest characters of the people born in each decade (NCIIC 2008): for the men born in
 *   the 1970s 2.8 % of all characters, 1.4 (rank 10), 0.9 (20), 0.5 (50); for the women 3.3, 2.0, 1.2, 0.5.
 *
 * The registries publish bearers, not always the people they counted: the number of boys in Jordan (200,000 births a year)
 * and of Iranians (89 million now, 50 million men since 1918) are estimates. A curve is drawn through the first ranks.
 */
export const curves = {
  spanishFamily: { scale: 0.115, offset: 4.4 },
  spanishMen: { scale: 0.13, offset: 0.3 },
  /** Without María. */
  spanishWomen: { scale: 0.1, offset: 1 },
  arabicMen: { scale: 0.13, offset: 0.4 },
  persianFamily: { scale: 0.0383, offset: 2.54 },
  persianMen: { scale: 0.22, offset: 3.5 },
  persianWomen: { scale: 0.13, offset: 0.25 },
  chineseMen: { scale: 0.251, offset: 8.1 },
  chineseWomen: { scale: 0.3, offset: 8.1 },
} as const satisfies Readonly<Record<string, Curve>>

/** The share of Spanish women whose first name is María. */
export const mariaShare = 0.2
