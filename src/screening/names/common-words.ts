// Words with little weight even where the list has them once: many people or businesses share them.

/** Words that any business may add to its name: the group, the country, articles. */
export const lightWords: ReadonlySet<string> = new Set(
  `group groupe gruppe grupo gruppo grup gruppa holding holdings kholding global international internacional internationale worldwide the of and for de la el los las
  del des du le les und y e et i al a an da do dos das di della van von der den fi wa ve ou 
  afghanistan albania algeria argentina armenia asia australia austria azerbaijan bahrain bangladesh belarus belgium bosnia brasil brazil bulgaria burma cambodia canada chile
  china colombia congo costa cuba cyprus czech denmark deutschland dubai ecuador egypt emirates england espana estonia europe ethiopia finland france georgia germany ghana
  greece hong kong hungary iceland india indonesia iran iraq ireland israel italia italy japan jordan kazakhstan kenya korea kuwait kyrgyzstan laos latvia lebanon libya
  lithuania london luxembourg malaysia malta mexico moldova monaco mongolia montenegro morocco mozambique myanmar nepal netherlands nicaragua nigeria norway oman pakistan
  panama peru philippines poland polska portugal qatar romania rossii rossiya russia saudi arabia senegal serbia singapore slovakia slovenia somalia spain sudan sweden switzerland
  syria taiwan tajikistan tanzania thailand tunisia turkey turkiye turkmenistan uae uganda uk ukraine usa uzbekistan venezuela vietnam yemen zambia zimbabwe
  american arab asian chinese european iranian iraqi islamic korean lebanese libyan russian syrian turkish ukrainian african indian german french british cuban belarusian`
    .trim()
    .split(/\s+/),
)

/** Words that say what a business does, not which business it is. */
export const tradeWords: ReadonlySet<string> = new Set(
  `account accounting advisory agricultural agro alliance auto automotive building business cargo cement chartered civil clinic club college company complex concern
  contractors control cosmetics data defence defense design digital distribution division drilling education electric electrical electro electronica empresa equipos fashion
  film fisheries fishing forwarding free furniture garments gazeta glass goods hospital hotel import importadora inmobiliaria innovation institute internet inversiones
  laboratory land leasing legal link living market mart mechanical merchant mill mineral minerals ministry modern motor office payment personal petrol pharma plastic
  port press prime promotion publishing rent restaurant retail scientific sea security servicios settlement software stone studio sports team tech tele tools transfer
  transporte customer reference invoice budget consultores comercializadora comercial constructora corporacion fabrica fundacion asociacion tourist vessel wood zone agency air airlines american asia asian associates authority aviation bank brothers capital center central centre chemical china
  commerce commercial communications computer construction consulting contracting cooperative customs development east eastern
  electronic electronics energy engineering enterprise enterprises equipment europe european exchange export factory finance financial
  first food foods foundation freight fund gas general global group gulf health heavy holding holdings house import impex industrial
  industries industry information institute insurance international invest investment investments iran line lines logistics
  machinery management manufacturing marine maritime marketing materials media medical metal metals middle military mining money motors
  national network networks new north oil organization pacific partners petrochemical petroleum pharmaceutical plant power
  product production products project projects property real research russian sales science service services shipping ship solutions
  south steel store supply system systems technical technologies technology telecom textile tour tourism tours trade trader traders
  trading transport transportation travel trust union united university venture ventures west works world red blue star green gold golden
  the of and for de la el del des du le und y e al`
    .trim()
    .split(/\s+/),
)

/** Articles and words such as "son of": optional, written alone or joined to the next word. */
export const particles: ReadonlySet<string> = new Set(
  `oglu ogly oglou uulu kyzy qizi al el ul ur as ash ad adh an ar at ath az bin ben ibn bint binti binte bn
  بن ابن بنت
  van von der den ter ten de del della di du da das dos do la las le los lo y e zu zum zur af av`
    .trim()
    .split(/\s+/),
)

/** Words that follow a father's name. */
export const patronymicEndings: ReadonlySet<string> = new Set(['oglu', 'ogly', 'oglou', 'uulu', 'kyzy', 'qizi'])

/** Titles, which are no part of a name. */
export const honorifics: ReadonlySet<string> = new Set(
  `mr mrs ms miss mister mx messrs dr doctor prof professor sir dame lord lady madam madame monsieur mme mlle herr frau senor senora senorita don dona sr sra srta
  dott  eng engr dipl phd md mba esq esquire honorable honourable rev reverend pastor 
  jr junior ii iii iv haji hajji hadji alhaji alhaja sayyida hazrat mulavi moulvi akhundzada sahib saheb bey pasha effendi 
  shri sri smt shrimati pandit ustaadh sidi lalla dato datuk datin marshal admiral adm commodore sergeant sgt corporal cpl president minister
  ambassador governor senator   jenab aqa khanum  hanim sama gospodin gospozha
  sheikh shaykh shaikh sheik mullah mulla mawlawi maulavi maulana
  mawlana qari hafiz ustad ustaz general gen colonel col major captain capt commander comandante ayatollah hojjat hujjat imam brigadier lieutenant`
    .trim()
    .split(/\s+/),
)
