// Words with little weight even where the list has them once: many people or businesses share them.

/** The commonest first and last names of the world's large languages. */
export const commonNames: ReadonlySet<string> = new Set(
  `abdah abdrahman abdulah adam ahmad ahmed ahmet akbar ali amin amir ana andrea andrei andrew anna anthony antonio arif aziz
  brown carlos chang charles chen christopher cruz da dang daniel das david davies de diaz dmitri do duong edward
  elena elizabeth emily fatima fernandez fernando flores francisco gao garcia garcía george gomez gonzalez gonzales guo gutierrez hamid
  hassan hasan he hernandez ho hoang hong hu huang huynh hussein husayn ibrahim igor islam ivan ivanov ivanova james jane jean jesus
  jiang jin john johnson jones jorge jose joseph juan jung kang khan kim kumar kuznetsov lam lang laura lee lewis li liang
  lin linda liu lopez lu luis luo ma mahmoud manuel maria marie mario martin martinez mary mehmet mendoza mendez michael miguel mikhail
  miller mohamed mohammad mohammed molina moore morales moreno muhammad mustafa nasir natalia ng ngo nguyen nikolai olga omar
  oleg ortiz osman pablo park patel patricia paul pavel pedro pereira perez peter petrov petrova pham phan popov rahman ram ramirez
  ramos rashid raul reyes ricardo richard rivera robert roberto rodriguez romero rosa ruiz salim sanchez santos sergei sergey shah
  sharma silva singh smirnov smith sokolov song souza steven suarez suleiman sun svetlana syed tan tang tatiana taylor thomas
  thompson torres tran truong umar vasiliev vazquez victor viktor vladimir volkov vo wang wei white william williams wilson
  wong wu xie xu yan yang yildiz yilmaz youssef yu yuan yuri yusuf zhang zhao zheng zhou zhu jun jie ming hui ping xin hai
  yong young jong chol hyun jin sung kyong myong abu khalid khaled said saeed salah saleh mahmud nguyễn kaya demir omer hasan huseyin`
    .trim()
    .split(/\s+/),
)

/** Legal forms of businesses, which are not compared. */
export const legalForms: ReadonlySet<string> = new Set(
  `ab ad ag akts anonim as asa aktiengesellschaft bhd bv bvba ca co company companies corp corporation cv cjsc dd doo eood est establishment
  fz fzc fzco fze fzllc gesellschaft gmbh hf inc incorporated jsc jv kb kft kg kk lda limited limitada limitata llc llp lp ltd ltda mbh
  mchj nv oao obshchestvo obschestvo ogranichennoy otvetstvennostyu oh ojsc ooo oy oyj ooo pao pc pjsc plc pllc private pt pte pty pvt
  qsc sa sab sac sae sal saog sapi sarl sas sca scs sdn se sirketi snc soc sociedad societe spa spol spzoo sprl srl srls sro sti tbk
  tic tov too ug uab ultd unlimited vof zao zoo zrt ao sicav aksjeselskap aktiebolag kollektif ticaret anonyme anonima gmbhco`
    .trim()
    .split(/\s+/),
)

/** Words that say what a business does, not which business it is. */
export const tradeWords: ReadonlySet<string> = new Set(
  `agency air airlines american asia asian associates authority aviation bank brothers capital center central centre chemical china
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
  `mr mrs ms miss dr prof professor sir dame lord lady jr sr ii iii iv sheikh shaykh shaikh sheik mullah mulla mawlawi maulavi maulana
  mawlana qari hafiz ustad ustaz general gen colonel col major captain capt commander comandante ayatollah hojjat hujjat imam brigadier lieutenant`
    .trim()
    .split(/\s+/),
)
