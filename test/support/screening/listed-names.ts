/** Where the invented names of a generated watch list come from: by culture, each word with its spellings. */

/** A word of a name as its owner writes it, and as others spell it in Latin letters. The first is how a list has it. */
export type NameWord = { own: string; latin: readonly string[] }

function words(text: string): NameWord[] {
  return text
    .trim()
    .split(/\s+/)
    .map((each) => {
      const [own = '', ...latin] = each.split(/[:,]/)
      return { own, latin: latin.length > 0 ? latin : [own] }
    })
}

export const arabicGiven = words(`
  محمد:Muhammad,Mohammed,Mohamed,Mohammad أحمد:Ahmad,Ahmed,Ahmet علي:Ali,Aly حسن:Hasan,Hassan حسين:Husayn,Hussein,Hossein,Hussain
  خالد:Khalid,Khaled وليد:Walid,Waleed يوسف:Yusuf,Youssef,Yousef,Yusef إبراهيم:Ibrahim,Ebrahim محمود:Mahmud,Mahmoud,Mahmood
  مصطفى:Mustafa,Mostafa,Moustafa عمر:Umar,Omar سعيد:Said,Saeed طارق:Tariq,Tarek فيصل:Faysal,Faisal ناصر:Nasir,Nasser
  رشيد:Rashid,Rasheed,Rachid كريم:Karim,Kareem جمال:Jamal,Gamal سليمان:Sulayman,Suleiman,Soliman عثمان:Uthman,Osman,Othman
  موسى:Musa,Moussa,Mousa عيسى:Isa,Issa,Eissa صالح:Salih,Saleh سالم:Salim,Salem حمزة:Hamza,Hamzah زياد:Ziyad,Ziad
  بلال:Bilal,Belal ماهر:Mahir,Maher سامي:Sami,Samy هشام:Hisham,Hesham نبيل:Nabil,Nabeel فريد:Farid,Fareed منير:Munir,Mounir
  جابر:Jabir,Jaber شريف:Sharif,Sherif لطفي:Lutfi,Lotfi رمزي:Ramzi,Ramzy صفوان:Safwan حاتم:Hatim,Hatem باسم:Basim,Bassem غسان:Ghassan`)

export const arabicFamily = words(`
  الدوري:al-Duri,al-Douri,el-Duri التكريتي:al-Tikriti,el-Tikriti العاني:al-Ani,el-Ani الحمداني:al-Hamdani,el-Hamdani
  الجبوري:al-Jaburi,al-Jabouri الشمري:al-Shammari,al-Shamari الزهراني:al-Zahrani,el-Zahrani القحطاني:al-Qahtani,al-Kahtani
  الغامدي:al-Ghamdi,al-Gamdi الحربي:al-Harbi,el-Harbi العتيبي:al-Utaybi,al-Otaibi المطيري:al-Mutayri,al-Mutairi
  الشهري:al-Shihri,al-Shehri الحكيم:al-Hakim,el-Hakim الصدر:al-Sadr,el-Sadr النجار:al-Najjar,el-Naggar الحداد:al-Haddad,el-Haddad
  البغدادي:al-Baghdadi,el-Baghdadi الموصلي:al-Mawsili,al-Mosuli البصري:al-Basri,el-Basri الحلبي:al-Halabi,el-Halabi
  الشامي:al-Shami,el-Shami المصري:al-Masri,el-Masry اليمني:al-Yamani,el-Yemeni الليبي:al-Libi,el-Libi التونسي:al-Tunisi,al-Tounsi
  المغربي:al-Maghribi,al-Maghrebi السوداني:al-Sudani,al-Soudani الكردي:al-Kurdi,el-Kurdi الفارسي:al-Farisi,el-Farsi
  الخطيب:al-Khatib,el-Khateeb العطار:al-Attar,el-Attar الراوي:al-Rawi,el-Rawi السامرائي:al-Samarrai,al-Samarai
  الخزرجي:al-Khazraji,el-Khazraji القيسي:al-Qaysi,al-Kaisi الزبيدي:al-Zubaydi,al-Zubaidi الأسدي:al-Asadi,el-Assadi
  الكناني:al-Kinani,el-Kenani الساعدي:al-Saidi,al-Saedi الربيعي:al-Rubayi,al-Rubaie الطائي:al-Tai,al-Taee النعيمي:al-Nuaymi,al-Nuaimi`)

export const russianGiven = words(`
  Александр Алексей Андрей Анатолий Борис Вадим Валерий Василий Виктор Виталий Владимир Владислав Вячеслав Геннадий
  Георгий Григорий Денис Дмитрий Евгений Иван Игорь Кирилл Константин Леонид Максим Михаил Николай Олег Павел Пётр Роман
  Руслан Сергей Станислав Степан Тимур Фёдор Юрий Ярослав Анна Елена Ирина Мария Наталья Ольга Светлана Татьяна Юлия`)

const russianRoots = `
  Абрам Агаф Аксён Алфёр Анис Арист Бажен Балак Барс Безрук Белоус Берёзк Блин Бобр Богат Бород Брагин Брус Булан Бурл Быстр
  Вавил Ведерник Верещаг Вещун Вихр Волж Ворож Высоц Гавр Глазк Гнед Голиц Горбун Горюн Грозн Гусар Дегтяр Демид Доброх Долгор
  Дубинк Дьяк Евсе Ельц Ерём Ермол Жарк Желтух Живот Жигал Журавл Забел Завад Зайч Зверн Зимог Злоб Зубар Ивлич Игнат Измай
  Казан Калаш Капуст Карпух Кисел Клим Ключн Кобыз Козыр Колпак Копыл Корняк Котляр Кривош Крутик Кудряш Кулич Курбат Лабут
  Лагут Лапш Левич Лоскут Лукьян Лыкош Макеич Мартьян Мельнич Минаич Мороз Мухан Надеж Наумч Нефёд Нехорош Овчар Огар Орехч
  Осип Панфил Пастух Перфил Пестр Плетнё Погреб Полозк Потехч Прокоп Пустовал Радищ Разгул Рогож Рукав Рябинк Сабур Савель`
export const russianFamily: NameWord[] = russianRoots
  .trim()
  .split(/\s+/)
  .flatMap((root) => ['ов', 'ин', 'ский', 'енко', 'чук', 'ев'].map((ending) => root + ending))
  .map((own) => ({ own, latin: [own] }))

export const chineseFamily = words(`
  王:Wang,Wang 李:Li,Li 张:Zhang,Chang 刘:Liu,Liu 陈:Chen,Ch'en 杨:Yang,Yang 赵:Zhao,Chao 黄:Huang,Huang 周:Zhou,Chou 吴:Wu,Wu
  徐:Xu,Hsu 孙:Sun,Sun 胡:Hu,Hu 朱:Zhu,Chu 高:Gao,Kao 林:Lin,Lin 何:He,Ho 郭:Guo,Kuo 马:Ma,Ma 罗:Luo,Lo 梁:Liang,Liang 宋:Song,Sung
  郑:Zheng,Cheng 谢:Xie,Hsieh 韩:Han,Han 唐:Tang,T'ang 冯:Feng,Feng 于:Yu,Yu 董:Dong,Tung 萧:Xiao,Hsiao 程:Cheng,Ch'eng 曹:Cao,Ts'ao
  袁:Yuan,Yuan 邓:Deng,Teng 许:Xu,Hsu 傅:Fu,Fu 沈:Shen,Shen 曾:Zeng,Tseng 彭:Peng,P'eng 吕:Lu,Lu 蔡:Cai,Ts'ai 潘:Pan,P'an`)

export const chineseGiven = words(`
  小:xiao,hsiao 平:ping,p'ing 泽:ze,tse 东:dong,tung 国:guo,kuo 华:hua,hua 建:jian,chien 军:jun,chün 志:zhi,chih 强:qiang,ch'iang
  明:ming,ming 伟:wei,wei 春:chun,ch'un 海:hai,hai 龙:long,lung 林:lin,lin 文:wen,wen 德:de,te 成:cheng,ch'eng 光:guang,kuang
  永:yong,yung 庆:qing,ch'ing 学:xue,hsüeh 兴:xing,hsing 荣:rong,jung 天:tian,t'ien 仁:ren,jen 家:jia,chia 金:jin,chin 玉:yu,yü
  宝:bao,pao 山:shan,shan 振:zhen,chen 忠:zhong,chung 贵:gui,kuei 昌:chang,ch'ang 立:li,li 新:xin,hsin 祥:xiang,hsiang 义:yi,i`)

export const latinGiven =
  words(`José Juan Luis Carlos Miguel Jesús Francisco Antonio Pedro Rafael Fernando Jorge Alejandro
  Ricardo Eduardo Arturo Héctor Raúl Sergio Ramón Víctor Óscar Iván Martín Gustavo Julio César Alfredo Guillermo Ismael
  María Rosa Ana Guadalupe Leticia Patricia Gabriela Verónica Sandra`)
export const latinFamily =
  words(`García López Martínez Hernández González Pérez Rodríguez Sánchez Ramírez Torres Flores Rivera Gómez
  Díaz Reyes Morales Cruz Ortiz Gutiérrez Chávez Ramos Ruiz Mendoza Álvarez Castillo Romero Herrera Medina Aguilar Garza Castro
  Vargas Guzmán Velázquez Muñoz Rojas Salazar Guerrero Bautista Coronel Zambada Beltrán Arellano Carrillo Treviño Lazcano Villarreal
  Quintero Loera Cárdenas Osiel Esparragoza Avilés Inzunza Cázarez Montelongo Urías Zazueta Burgueño Cifuentes Villegas Restrepo`)

export const westernGiven =
  words(`John James Robert Michael William David Richard Thomas Charles Daniel Matthew Mark Paul Steven Andrew
  Kenneth George Edward Brian Peter Frank Gregory Patrick Jack Dennis Walter Arthur Henry Mary Susan Linda Karen Nancy Laura`)
export const westernFamily =
  words(`Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Moore Jackson White Harris Clark
  Lewis Walker Hall Young King Wright Hill Scott Green Adams Baker Nelson Carter Mitchell Roberts Turner Phillips Campbell Parker`)

export const businessWords =
  words(`Trading General Import Export Shipping Petroleum Petrochemical Investment Industrial Holding Group
  International Commercial Engineering Construction Logistics Marine Services Energy Mining Exchange Electronics Aviation Metals`)
export const businessForms = words(`LLC Ltd. L.L.C. GmbH OOO S.A. FZE JSC Co. Limited Corp. S.R.L.`)
